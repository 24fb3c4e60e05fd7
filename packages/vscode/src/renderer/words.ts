import type { Remedy } from '../notebook/remedies.js'

/** The renderer's own words. */
export interface RendererWords {
  readonly thought: string
  readonly copy: string
  readonly copied: string
  readonly showAll: string
  /** Lines that a card leaves out. */
  readonly moreLines: (count: number) => string
  readonly asks: (tool: string) => string
  readonly once: string
  readonly session: string
  readonly always: string
  readonly no: string
  readonly noBecause: string
  readonly diff: string
  readonly running: string
  /** Text arrives. */
  readonly writing: string
  readonly seconds: (seconds: number) => string
  readonly noText: (seconds: number) => string
  readonly again: (seconds: number, attempt: number) => string
  /** Above words that may not be the answer. */
  readonly draft: string
  /** `key`: the key that begins both. */
  readonly waiting: (key: string) => string
  readonly unsent: (state: string, why: string) => string
  readonly tokens: (input: number, output: number, cached: number) => string
  /** A price in the user's own currency. */
  readonly cost: (amount: string) => string
  readonly noPrice: string
  readonly remedies: Readonly<Record<Remedy, string>>
  readonly states: Readonly<Record<string, string>>
}

const english: RendererWords = {
  thought: 'Thought',
  copy: 'Copy',
  copied: 'Copied',
  showAll: 'Show what the model read',
  moreLines: (count) => `… ${count} more ${count === 1 ? 'line' : 'lines'}`,
  asks: (tool) => `${tool} asks for your permission`,
  once: 'Allow once',
  session: 'Allow for this session',
  always: 'Always allow here',
  no: 'Refuse',
  noBecause: 'Refuse with a reason…',
  diff: 'Open diff',
  running: 'Working…',
  writing: 'Writing…',
  seconds: (seconds) => `${seconds} s`,
  noText: (seconds) => `no text for ${seconds} s`,
  again: (seconds, attempt) =>
    `${seconds > 0 ? `trying again in ${seconds} s` : 'trying again now'} (attempt ${attempt})`,
  draft: 'The answer so far, not certain yet',
  waiting: (key) => `Waiting for you · ${key} Y allows once, ${key} N refuses`,
  unsent: (state, why) =>
    `${state}: ${why} Nothing was sent. The round above stays, and is what the next request contains.`,
  tokens: (input, output, cached) =>
    `${input} tokens in${cached > 0 ? ` (${Math.round((100 * cached) / input)} % cached)` : ''}, ${output} out`,
  cost: (amount) => `cost ${amount}`,
  remedies: { again: 'Try Again', model: 'Select a model', key: 'Store a key' },
  noPrice:
    'The price is not known: set mutsumi.cost.input and mutsumi.cost.output, or modelPrices in your config.',
  states: {
    failed: 'Failed',
    denied: 'Denied',
    fault: 'The model failed',
    cancelled: 'Stopped',
    timeout: 'Out of time',
    interrupted: 'Interrupted',
    success: 'done',
    partial: 'partly done',
    error: 'failed',
    running: 'running',
    asking: 'waiting for you',
  },
}

const chinese: RendererWords = {
  thought: '思考',
  copy: '复制',
  copied: '已复制',
  showAll: '显示模型读到的内容',
  moreLines: (count) => `… 还有 ${count} 行`,
  asks: (tool) => `${tool} 请求你的许可`,
  once: '允许一次',
  session: '本次会话允许',
  always: '在此始终允许',
  no: '拒绝',
  noBecause: '拒绝并说明理由…',
  diff: '打开差异',
  running: '正在处理…',
  writing: '正在书写…',
  seconds: (seconds) => `${seconds} 秒`,
  noText: (seconds) => `${seconds} 秒没有新文字`,
  again: (seconds, attempt) => `${seconds > 0 ? `${seconds} 秒后重试` : '正在重试'}（第 ${attempt} 次）`,
  draft: '目前的回答，尚未确定',
  waiting: (key) => `等待你的决定 · ${key} Y 允许一次，${key} N 拒绝`,
  unsent: (state, why) => `${state}：${why} 没有发送任何内容。上面的一轮保留不变，下一次请求仍包含它。`,
  tokens: (input, output, cached) =>
    `输入 ${input} 个 token${cached > 0 ? `（${Math.round((100 * cached) / input)} % 命中缓存）` : ''}，输出 ${output} 个`,
  cost: (amount) => `费用 ${amount}`,
  remedies: { again: '重试', model: '选择模型', key: '保存密钥' },
  noPrice: '价格未知：请设置 mutsumi.cost.input 和 mutsumi.cost.output，或配置文件中的 modelPrices。',
  states: {
    failed: '失败',
    denied: '被拒绝',
    fault: '模型出错',
    cancelled: '已停止',
    timeout: '超时',
    interrupted: '已中断',
    success: '完成',
    partial: '部分完成',
    error: '失败',
    running: '运行中',
    asking: '等待你的决定',
  },
}

export function wordsFor(language: unknown): RendererWords {
  return typeof language === 'string' && language.toLowerCase().startsWith('zh') ? chinese : english
}
