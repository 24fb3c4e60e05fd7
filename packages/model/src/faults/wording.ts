import type { ModelFaultKind } from '@mutsumi/schema'

interface Wording {
  readonly kind: ModelFaultKind
  /** The providers that use this wording. */
  readonly by: string
  readonly pattern: RegExp
}

/**
 * The wordings of providers, for errors that the status does not explain. Status codes are ambiguous: 400 may be a
 * context that is too long, a spent credit or a wrong key, and 429 a rate limit or an empty account. Patterns are tried
 * in this order on the error's message, code and type, joined in one line.
 */
const wordings: readonly Wording[] = [
  // The context is too long.
  { kind: 'context-too-long', by: 'OpenAI, Azure, Groq', pattern: /context_length_exceeded/i },
  { kind: 'context-too-long', by: 'OpenAI responses', pattern: /exceeds? the (?:model'?s )?context window/i },
  {
    kind: 'context-too-long',
    by: 'OpenAI, Azure, DeepSeek, vLLM, OpenRouter, Mistral',
    pattern: /maximum context length|context length is only/i,
  },
  {
    kind: 'context-too-long',
    by: 'OpenAI, Groq: larger than a whole minute allows',
    pattern: /request too large for/i,
  },
  { kind: 'context-too-long', by: 'OpenAI', pattern: /input tokens exceed the configured limit/i },
  {
    kind: 'context-too-long',
    by: 'Anthropic, Fireworks, Bedrock',
    pattern: /(?:prompt|input) is too long/i,
  },
  { kind: 'context-too-long', by: 'Anthropic', pattern: /max_tokens`? exceed(?:s)? context limit/i },
  {
    kind: 'context-too-long',
    by: 'Anthropic',
    pattern: /request_too_large|request exceeds the maximum size/i,
  },
  {
    kind: 'context-too-long',
    by: 'Google',
    pattern: /input token count.{0,80}(?:exceeds the maximum|only supports up to)/i,
  },
  {
    kind: 'context-too-long',
    by: 'Groq, Cerebras, DeepSeek',
    pattern: /reduce the length of (?:the|your) (?:messages|prompt|input)/i,
  },
  { kind: 'context-too-long', by: 'xAI', pattern: /maximum prompt length is \d/i },
  { kind: 'context-too-long', by: 'Mistral', pattern: /too large for model with \d+ maximum/i },
  {
    kind: 'context-too-long',
    by: 'Moonshot',
    pattern: /exceeded model token limit|model max length exceeded/i,
  },
  {
    kind: 'context-too-long',
    by: 'llama.cpp',
    pattern: /exceeds? the available context size|exceed_context_size_error/i,
  },
  { kind: 'context-too-long', by: 'llama.cpp, LM Studio', pattern: /context size has been exceeded/i },
  {
    kind: 'context-too-long',
    by: 'LM Studio',
    pattern:
      /when (?:the )?context (?:the )?overflows|reached context length of|greater than the context length/i,
  },
  {
    kind: 'context-too-long',
    by: 'Ollama',
    pattern: /exceed(?:s|ed) (?:the |max(?:imum)? )?context length|prompt too long/i,
  },
  {
    kind: 'context-too-long',
    by: 'vLLM, SGLang, Together',
    pattern:
      /longer than the (?:maximum model length|model'?s context length)|too long to fit into the model/i,
  },
  {
    kind: 'context-too-long',
    by: 'SGLang',
    pattern: /token count exceeds the model'?s maximum context/i,
  },
  {
    kind: 'context-too-long',
    by: 'Text Generation Inference',
    pattern: /`?inputs`? (?:tokens \+ `?max_new_tokens`? must be <=|must have less than)/i,
  },
  {
    kind: 'context-too-long',
    by: 'GitHub Copilot',
    pattern: /prompt token count of \d+ exceeds|model_max_prompt_tokens_exceeded/i,
  },
  { kind: 'context-too-long', by: 'Zhipu', pattern: /prompt exceeds max length/i },
  { kind: 'context-too-long', by: 'DashScope', pattern: /range of input length should be/i },
  { kind: 'context-too-long', by: 'MiniMax', pattern: /context window exceeds limit/i },
  { kind: 'context-too-long', by: 'Cohere', pattern: /too many tokens: / },
  { kind: 'context-too-long', by: 'LiteLLM', pattern: /ContextWindowExceededError/ },
  // The account is empty.
  {
    kind: 'quota',
    by: 'OpenAI, Azure, Moonshot',
    pattern: /insufficient_quota|exceeded_current_quota_error|billing_hard_limit_reached/i,
  },
  { kind: 'quota', by: 'Anthropic', pattern: /credit balance is too low|billing_error/i },
  { kind: 'quota', by: 'DeepSeek, OpenRouter', pattern: /insufficient (?:balance|credits?|funds)/i },
  { kind: 'quota', by: 'xAI', pattern: /used all available credits|run out of credits/i },
  { kind: 'quota', by: 'Google', pattern: /quotaId"?:? ?"?\w*PerDay|limit: 0\b/ },
  { kind: 'quota', by: 'DashScope', pattern: /Arrearage/ },
  { kind: 'quota', by: 'OpenAI', pattern: /billing_not_active|check your billing details on/i },
  { kind: 'quota', by: 'Anthropic', pattern: /reached your specified API usage limits/i },
  {
    kind: 'quota',
    by: 'OpenRouter',
    pattern: /key limit exceeded|limit exceeded \((?:daily|weekly|monthly|total)/i,
  },
  { kind: 'quota', by: 'Groq', pattern: /tokens per day|requests per day|\((?:TPD|RPD)\)/ },
  {
    kind: 'quota',
    by: 'Mistral, Fireworks, Together, GitHub Copilot',
    pattern:
      /(?:daily|weekly|monthly) (?:quota|(?:usage|spending|credit|request)s? limit)|credit limit exceeded/i,
  },
  // The content is refused.
  {
    kind: 'content-filter',
    by: 'OpenAI, Azure, Moonshot',
    pattern:
      /content_filter|content_policy_violation|ResponsibleAIPolicyViolation|content management policy/i,
  },
  { kind: 'content-filter', by: 'Anthropic', pattern: /blocked by (?:our )?content filtering policy/i },
  { kind: 'content-filter', by: 'DeepSeek', pattern: /content exists risk/i },
  {
    kind: 'content-filter',
    by: 'DashScope',
    pattern: /data_?inspection_?failed|inappropriate content/i,
  },
  { kind: 'content-filter', by: 'Google', pattern: /PROHIBITED_CONTENT|blocked (?:due to|by) safety/i },
  // The key is wrong, reported with a 400.
  { kind: 'auth', by: 'Google', pattern: /API[_ ]key[_ ](?:not[_ ]valid|invalid|expired)/i },
  { kind: 'auth', by: 'xAI', pattern: /incorrect api key provided/i },
  // The model does not exist, reported with a 400.
  {
    kind: 'not-found',
    by: 'Groq, DeepSeek, Mistral, DashScope',
    pattern: /model_not_found|model not exist|invalid model\b|unknown model\b|is not a valid model/i,
  },
  {
    kind: 'not-found',
    by: 'OpenAI, Ollama, vLLM',
    pattern: /model\b.{0,120}\b(?:does not exist|not found)/i,
  },
]

/** The meaning of a provider's words, if known. */
export function kindOfWording(text: string): ModelFaultKind | undefined {
  // No provider uses a longer text, and a body may have a megabyte.
  const head = text.slice(0, 8_000)
  return wordings.find(({ pattern }) => pattern.test(head))?.kind
}
