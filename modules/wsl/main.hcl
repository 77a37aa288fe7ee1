# Sign-in pages of a Copilot that runs in WSL open in the browser of Windows.

variable "browserCommand" {
  type        = any
  default     = "auto"
  description = "What opens a page: \"auto\" finds wslview, Chrome or Edge on Windows, and does nothing outside WSL. A command line or a list of arguments is taken as it is; the address comes last."
}

target "copilot" {
  browserCommand = var.browserCommand
}
