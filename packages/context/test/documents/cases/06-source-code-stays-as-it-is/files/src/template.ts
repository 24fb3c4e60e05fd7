// @[secret.md] and @{ifdef NAME} are text to the model.
export const template = 'Hello {{NAME}}, see @[secret.md]'
