import type { SessionFaultTemplates } from '@mutsumi/session/parts'

/** Why a session could not be opened, written or moved, in Chinese. */
export const chineseSessionFaults: SessionFaultTemplates = {
  'other-file': '{1}：{0!}。',
  'binary-session': '它是二进制文件，不是会话：其中没有任何改动',
  'empty-session': '它是空的：其中没有会话',
  'newer-session': '它由更新的 Mutsumi 写入（会话格式 {0}，这个版本读取 1）：请更新 Mutsumi 来打开它',
  'exported-session':
    '它是会话的导出，供其他程序使用：作为会话打开会失去所有回答。请打开会话本身，或把这个文件作为 JSON 读取。其中没有任何改动',
  'not-a-session': '它不是 Mutsumi 会话：{0!}。其中没有任何改动',
  'too-large-for-session': '它超过 {0} 字节',
  'no-readable-line': '没有一行可以读取',
  'other-json': '它是另一种 JSON',
  'emptied-session':
    '{0} 是空的，但它旁边的 {1} 属于它曾经含有的会话。请从 git 或备份恢复文件，或删除 {2}，在这里开始新的会话。',
  'lost-header':
    '{0} 的第 1 行不是会话的开头，所以不写入任何内容；之后有 {1} 条记录可以读取。请以只读方式打开或复制它，从 git 或备份恢复文件，或手工修复第 1 行并删除其中的 "sum"。',
  'session-missing': '没有 {0}。',
  'session-exists': '{0} 已经存在；没有覆盖任何内容。请换一个名称。',
  'session-disk-full': '没有空间写入 {0}：磁盘已满（{1}）。请腾出一些空间，然后继续。',
  'session-quota-used': '没有空间写入 {0}：你的磁盘配额已用完（{1}）。请腾出一些空间，然后继续。',
  'session-too-large':
    '没有空间写入 {0}：文件会超过磁盘或这个进程的上限（{1}）。请提高上限（ulimit -f），或从较早的一轮复制会话。',
  'session-too-many-open': '无法打开 {0}：打开的文件太多（{1}）。请关闭一些，然后继续。',
  'session-in-use': '另一个程序正在使用 {0}（{1}）。请在那里关闭它，然后继续。',
  'session-read-only': '无法写入 {0} 或它的文件夹（{1}）。请以只读方式打开，或更改权限。',
  'session-link': '{0} 是符号链接，而链接不会被跟随。请指定文件本身。',
  'session-irregular': '{0} 不是普通文件（{1}）。',
  'session-disk-failed': '磁盘在 {0} 上出错（{1}）。请检查磁盘，然后再试。',
  'session-bad-name': '{0} 在这个文件系统上不是有效的名称（{1}）。请换一个。',
  'record-unsaved': '{0!}这条记录没有保存；之前的内容都完好。',
  'session-damaged-again': '{0} 的损坏行刚被移除，就又被损坏。请检查磁盘。',
  'text-unreadable': '{0} 中的一段文字再也无法读取，因为另一个程序改动了文件。',
  'text-missing': '缺少 {0}。如果你移动了会话，请把它的文件夹也移过去。',
  'text-damaged': '{0} 已损坏：它的内容与它的哈希不符。请从备份恢复。',
  'session-locked': '{0} 正在被写入：{1!}请以只读方式打开它，或复制它并在副本中继续。{2!}',
  'by-unknown': '写入者是未知的进程。',
  'by-running': '写入者是 {1} 上的进程 {0}，自 {2} 起。',
  'by-other-machine': '写入者是 {1} 上的进程 {0}，自 {2} 起，那是另一台机器。',
  'by-same-name': '写入者是另一台机器上的进程 {0}，自 {2} 起；那台机器也叫 {1}，并共用这个磁盘。',
  'by-earlier-or-same-name':
    '写入者是 {1} 上的进程 {0}，自 {2} 起：可能是这台机器上次重启之前的，也可能在另一台同名的机器上。磁盘可能是共用的，所以无法确定。',
  'by-other-container':
    '写入者是 {1} 上的进程 {0}，自 {2} 起，在这台机器的另一个容器中。这里的进程 {0} 是另一个，所以不知道那个进程是否还在运行。',
  'by-number-in-use':
    '写入者是 {1} 上的进程 {0}，自 {2} 起。有一个进程正以这个号码运行，但这个系统无法显示它是不是同一个。',
  'remove-of-container': '如果你确定那个容器已经不在，请删除 {0}。',
  'remove-of-mutsumi': '如果没有 Mutsumi 还在写入这个会话，请删除 {0}。',
  'remove-of-process': '如果你确定那个进程已经不在，请删除 {0}。',
  'no-longer-regular': '{0} 不再是普通文件，因为另一个程序替换了它。',
  'session-replaced': '{0} 现在是另一个会话，因为另一个程序替换了它。请重新打开它。',
  'replaced-while-opening': '{0} 在打开期间被替换。请重新打开它。',
  'session-moved': '{0} 被另一个程序移动了。请把它放回去，或在它现在的位置打开它。',
  'records-kept': '{0!}之前保存的记录在 {1} 中：请打开那个文件继续。',
  'session-outside':
    '{0} 其实在别处：有一个链接指向 {1} 之外，所以不在那里读写任何内容。请把链接换成文件夹，或使用文件的真实路径。',
  'session-dead-link': '{0} 是一个不指向任何内容的链接。请删除它。',
  'session-closed': '会话已关闭。',
  'no-such-round': '没有第 {0} 轮：这个会话有 {1} 轮。',
  'not-in-trash': '{0} 不在回收站文件夹中。',
  'session-target-exists': '{0} 已经存在；没有覆盖任何内容。',
  'not-a-file-name': '“{0}”不能作为文件的名称。',
}
