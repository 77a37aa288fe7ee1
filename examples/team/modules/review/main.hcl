# Rules for reviewing, for a team of your choice.

variable "team" {
  type        = string
  description = "The team whose conventions apply."

  validation {
    condition     = can(regex("^[a-z]+$", var.team))
    error_message = "The team is one word in lower case."
  }
}

variable "limit" {
  type        = number
  default     = 300
  description = "Lines above which a change should be split."

  validation {
    condition     = var.limit >= 50
    error_message = "A limit below 50 lines splits everything."
  }
}

rules = ["rules/*.md"]

target "copilot" {
  settings = {
    companyAnnouncements = ["${var.team}: changes over ${var.limit} lines are split."]
  }
}
