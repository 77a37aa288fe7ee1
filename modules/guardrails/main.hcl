# Commands that no agent should run without a person: what destroys work that is nowhere else, or a machine.

variable "history" {
  type        = bool
  default     = true
  description = "Deny what rewrites or deletes published history: forced, mirrored and deleting pushes, filter-branch."
}

variable "work" {
  type        = bool
  default     = true
  description = "Deny what throws away uncommitted work: git reset --hard, git clean -f, git checkout of everything, stash drop."
}

variable "machine" {
  type        = bool
  default     = true
  description = "Deny what destroys a home or a machine: removing / or the home, making file systems, writing to devices, switching off."
}

variable "deny" {
  type        = list(string)
  default     = []
  description = "Further patterns, in the notation of guard \"commands\"."
}

locals {
  history = [
    "git push --force",
    "git push -f",
    "git push --mirror",
    "git push --delete",
    "git push -d",
    "git push +*",
    "git push :*",
    "git filter-branch",
    "git filter-repo",
  ]
  work = [
    "git reset --hard",
    "git clean --force",
    "git clean -f",
    "git checkout -- .",
    "git checkout .",
    "git stash drop",
    "git stash clear",
    "git worktree remove --force",
    "git worktree remove -f",
  ]
  machine = [
    "rm -r /",
    "rm -R /",
    "rm --recursive /",
    "rm -r ~",
    "rm -R ~",
    "rm --recursive ~",
    "rm --no-preserve-root",
    "chmod -R /",
    "chown -R /",
    "mkfs",
    "mkfs.*",
    "wipefs",
    "dd of=/dev/sd*",
    "dd of=/dev/hd*",
    "dd of=/dev/vd*",
    "dd of=/dev/nvme*",
    "dd of=/dev/mmcblk*",
    "dd of=/dev/disk*",
    "dd of=/dev/rdisk*",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
  ]
}

guard "commands" {
  deny = concat(
    var.history ? local.history : [],
    var.work ? local.work : [],
    var.machine ? local.machine : [],
    var.deny,
  )
}
