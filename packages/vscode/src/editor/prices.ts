import { homedir } from 'node:os'
import * as vscode from 'vscode'
import { type UserPrices, userPrices } from '../agent/user-prices.js'
import { editorSettings } from './editor-settings.js'

/** The prices of requests as the user has set them now. Without any, no price is known. */
export function pricesNow(): UserPrices {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri
  try {
    return userPrices(folder?.scheme === 'file' ? folder.fsPath : homedir(), editorSettings(folder).user)
  } catch {
    // A round reports invalid settings. A recorded one is shown in any case.
    return { now: () => undefined, recorded: () => undefined }
  }
}
