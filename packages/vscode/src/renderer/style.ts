/**
 * The colours of code in the editor's own themes. The page of a notebook does not get the colours of the chosen theme for
 * code, only whether it is light, dark, or of high contrast.
 */
export const codeColours = {
  'vscode-light': {
    ...{ keyword: '#0000ff', string: '#a31515', comment: '#007100', number: '#087a50' },
    ...{ function: '#795e26', type: '#1f6f88', name: '#001080' },
  },
  'vscode-dark': {
    ...{ keyword: '#569cd6', string: '#ce9178', comment: '#7aad61', number: '#b5cea8' },
    ...{ function: '#dcdcaa', type: '#4ec9b0', name: '#9cdcfe' },
  },
  'vscode-high-contrast': {
    ...{ keyword: '#6cb6ff', string: '#e2a68b', comment: '#8fd071', number: '#b5cea8' },
    ...{ function: '#dcdcaa', type: '#4ec9b0', name: '#9cdcfe' },
  },
  'vscode-high-contrast-light': {
    ...{ keyword: '#0000ff', string: '#8a0f0f', comment: '#005c00', number: '#05523a' },
    ...{ function: '#5e2cbc', type: '#174f61', name: '#001080' },
  },
} as const

const colourRules = Object.entries(codeColours)
  .map(([theme, colours]) => {
    const rules = Object.entries(colours).map(([kind, colour]) => `--mutsumi-${kind}: ${colour};`)
    return `body.${theme} .mutsumi { ${rules.join(' ')} }`
  })
  .join('\n')

/** Uses the editor's own colours, so light, dark and high contrast themes need no extra rules, except for code. */
export const style = `
${colourRules}
.mutsumi { font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); color: var(--vscode-foreground); line-height: 1.5; }
.mutsumi .parts > * { margin: 0.3em 0; }
.mutsumi p { margin: 0.4em 0; }
.mutsumi code { font-family: var(--vscode-editor-font-family); font-size: 0.95em; background: var(--vscode-textCodeBlock-background); padding: 0 0.2em; border-radius: 3px; }
.mutsumi pre { font-family: var(--vscode-editor-font-family); margin: 0.3em 0; padding: 0.5em 0.7em; overflow-x: auto; background: var(--vscode-textCodeBlock-background); border-radius: 4px; white-space: pre; }
.mutsumi pre code { background: none; padding: 0; }
.mutsumi .code-keyword { color: var(--mutsumi-keyword); }
.mutsumi .code-string { color: var(--mutsumi-string); }
.mutsumi .code-comment { color: var(--mutsumi-comment); }
.mutsumi .code-number { color: var(--mutsumi-number); }
.mutsumi .code-function { color: var(--mutsumi-function); }
.mutsumi .code-type { color: var(--mutsumi-type); }
.mutsumi .code-name { color: var(--mutsumi-name); }
.mutsumi .code-added { color: var(--vscode-gitDecoration-addedResourceForeground, var(--mutsumi-comment)); }
.mutsumi .code-removed { color: var(--vscode-gitDecoration-deletedResourceForeground, var(--mutsumi-string)); }
.mutsumi li.task { list-style: none; margin-left: -1.2em; }
.mutsumi li.task > p { display: inline; }
.mutsumi .align-center { text-align: center; }
.mutsumi .align-right { text-align: right; }
.mutsumi pre.target { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 20em; overflow-y: auto; }
.mutsumi .code { position: relative; }
.mutsumi .code .copy { position: absolute; top: 4px; right: 4px; opacity: 0; }
.mutsumi .code:hover .copy, .mutsumi .code:focus-within .copy { opacity: 1; }
.mutsumi a { color: var(--vscode-textLink-foreground); }
.mutsumi blockquote { margin: 0.4em 0; padding-left: 0.8em; border-left: 3px solid var(--vscode-textBlockQuote-border); }
.mutsumi table { border-collapse: collapse; }
.mutsumi th, .mutsumi td { border: 1px solid var(--vscode-panel-border); padding: 0.2em 0.6em; text-align: left; }
.mutsumi details.tool, .mutsumi details.thought { border: 1px solid var(--vscode-panel-border); border-radius: 4px; padding: 0.2em 0.6em; }
.mutsumi details.thought { border-style: dashed; color: var(--vscode-descriptionForeground); }
.mutsumi summary { cursor: pointer; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.mutsumi .error > summary, .mutsumi .failed > summary { white-space: normal; overflow-wrap: anywhere; }
.mutsumi :focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
.mutsumi summary .mark { display: inline-block; width: 1.2em; }
.mutsumi summary .name { font-weight: 600; margin-right: 0.5em; }
.mutsumi summary .argument { font-family: var(--vscode-editor-font-family); font-size: 0.95em; }
.mutsumi summary .line { color: var(--vscode-descriptionForeground); margin-left: 0.8em; }
.mutsumi .success .mark { color: var(--vscode-testing-iconPassed, green); }
.mutsumi .partial .mark, .mutsumi .asking .mark { color: var(--vscode-editorWarning-foreground, orange); }
.mutsumi .error .mark, .mutsumi .error .line { color: var(--vscode-errorForeground); }
.mutsumi .tool.failed summary .mark, .mutsumi .tool.failed summary .line, .mutsumi .output .stderr { color: var(--vscode-errorForeground); }
.mutsumi .output .more { color: var(--vscode-descriptionForeground); }
.mutsumi .diff .added { background: var(--vscode-diffEditor-insertedTextBackground, rgba(0,160,0,.15)); }
.mutsumi .diff .removed { background: var(--vscode-diffEditor-removedTextBackground, rgba(200,0,0,.15)); }
.mutsumi .diff > span { display: block; }
.mutsumi .diff .added .changed { background: var(--vscode-diffEditor-insertedTextBackground, rgba(0,160,0,.3)); font-weight: 600; }
.mutsumi .diff .removed .changed { background: var(--vscode-diffEditor-removedTextBackground, rgba(200,0,0,.3)); font-weight: 600; }
.mutsumi .draft { color: var(--vscode-descriptionForeground); font-style: italic; }
.mutsumi .foot .seconds { white-space: nowrap; }
.mutsumi .foot .usage, .mutsumi .foot .time, .mutsumi .foot button { white-space: nowrap; }
.mutsumi .diff .place { color: var(--vscode-descriptionForeground); }
.mutsumi .todos { list-style: none; padding-left: 0.4em; margin: 0.3em 0; }
.mutsumi .todos .completed, .mutsumi .todos .cancelled { color: var(--vscode-descriptionForeground); text-decoration: line-through; }
.mutsumi .note { color: var(--vscode-descriptionForeground); white-space: pre-wrap; }
.mutsumi .note.warning { color: var(--vscode-editorWarning-foreground, inherit); }
.mutsumi .foot { color: var(--vscode-descriptionForeground); font-size: 0.9em; display: flex; flex-wrap: wrap; column-gap: 1em; align-items: center; }
.mutsumi .foot.failed .state, .mutsumi .foot.fault .state { color: var(--vscode-errorForeground); }
.mutsumi .question pre.diff { max-height: 26em; overflow: auto; }
.mutsumi .asked .question { border: 1px solid var(--vscode-panel-border); border-left: 3px solid var(--vscode-editorWarning-foreground, orange); border-radius: 4px; padding: 0.2em 0.8em; margin: 0.4em 0; }
.mutsumi .foot.waiting .state { color: var(--vscode-editorWarning-foreground, inherit); font-weight: 600; }
.mutsumi .foot.running .state::before { content: ''; display: inline-block; width: 0.7em; height: 0.7em; margin-right: 0.5em; border: 2px solid var(--vscode-progressBar-background); border-right-color: transparent; border-radius: 50%; animation: mutsumi-turn 1s linear infinite; }
@keyframes mutsumi-turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { .mutsumi .foot.running .state::before { animation: none } }
.mutsumi .answers { display: flex; gap: 0.5em; flex-wrap: wrap; margin: 0.4em 0; }
.mutsumi button { font: inherit; cursor: pointer; border: 1px solid var(--vscode-button-secondaryBorder, var(--vscode-contrastBorder, transparent)); border-radius: 3px; padding: 0.15em 0.7em; color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
.mutsumi button.once { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
.mutsumi button.link { border: none; background: none; padding: 0; color: var(--vscode-textLink-foreground); }
.mutsumi button.file { display: inline; text-align: inherit; font: inherit; overflow-wrap: anywhere; }
.mutsumi button.file:hover { text-decoration: underline; }
.mutsumi button.file code { color: inherit; }
.mutsumi button.copy { font-size: 0.85em; }
`
