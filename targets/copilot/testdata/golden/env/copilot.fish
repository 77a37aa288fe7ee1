# channels
set -gx AGENTIHOOKS_BASE_CHANNELS 'brain,it\'s on call'
# allowAll
set -gx COPILOT_ALLOW_ALL 'true'
# browserCommand
set -gx COPILOT_DEBUG_BROWSER '["firefox","--new-tab","a b"]'
