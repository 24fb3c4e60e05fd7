/** How other agents call the argument `path`, folded. */
export const pathNames = [
  ...[
    'uri',
    'filepath',
    'file',
    'filename',
    'absolutepath',
    'absolutefilepath',
    'targetfile',
    'relativepath',
  ],
]
export const folderNames = [
  ...['uri', 'filepath', 'directory', 'dir', 'dirpath', 'directorypath', 'folder', 'targetdirectory'],
  ...['searchpath', 'relativeworkspacepath', 'absolutepath', 'cwd', 'root'],
]

/** Arguments with which a model explains itself. */
export const explanations = [
  ...['description', 'explanation', 'reason', 'reasoning', 'thought', 'justification', 'toolsummary'],
]
