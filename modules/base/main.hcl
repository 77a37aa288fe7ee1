# What every machine has in common: the channels that each session listens to, and the status line.

variable "channels" {
  type        = list(string)
  default     = ["brain", "amygdala"]
  description = "Channels that every session on this machine listens to."
}

variable "statusLine" {
  type        = bool
  default     = true
  description = "Show generation, channels and context use below the prompt."
}

channels = var.channels

target "copilot" {
  statusLine = var.statusLine
}
