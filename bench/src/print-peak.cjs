// Preloaded into a process whose peak memory the bench wants to know.
process.on('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`))
