/** Prompts are text files beside the code; the bundler inlines them. */
declare module '*.md' {
  const text: string
  export default text
}
