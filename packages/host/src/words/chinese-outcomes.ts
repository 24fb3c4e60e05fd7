import type { OutcomeTemplates } from '@mutsumi/tools/parts'

/** The words of tools about their results in Chinese, for the terminal and the notebook. Models read English. */
export const chineseOutcomes: OutcomeTemplates = {
  about: '{0}：{1!}',
  'created-line': '已创建 {0}：{1} 行。',
  'created-lines': '已创建 {0}：{1} 行。',
  'changed-once': '已更改 {0}：{1} 处替换。',
  'changed-often': '已更改 {0}：{1} 处替换。',
  'dry-run': '试运行，没有写入任何内容。{0!}',
  'changed-since': '读取之后它已更改；请重新读取',
  'read-first': '请先读取它',
  'edit-of': '第 {0} 处编辑（共 {1} 处）：{2!}',
  'same-strings': 'old_string 与 new_string 相同',
  'old-string-missing': '没有找到 old_string；{0!}',
  'line-numbers-included': '请去掉 Read 在各行前面加上的行号和制表符',
  'nothing-similar': '文件中没有相似的内容；请重新读取文件',
  'old-string-repeated':
    'old_string 出现了 {0} 次（第 {1} 行）；请给出目标位置前后更多的文本，或设置 replace_all',
  'search-too-long': '搜索超过了 {0} 毫秒；请缩小 path 或 include 的范围',
  'not-found': '未找到',
  'dangling-link': '是一个链接，但它指向的内容不存在',
  'outside-for-reading': '在本次会话可以读取的文件夹之外',
  'session-file':
    '属于一个 Mutsumi 会话，工具不能读取。要取回本会话的结果请用 Recall；用户可以用 mutsumi sessions、mutsumi resume 和 mutsumi export',
  'binary-file': '是二进制文件',
  'no-path': '不是绝对路径，或者超过 4096 个字符，或者含有 NUL',
  'reading-denied': '无法读取：没有权限',
  'circular-link': '是一个指回自身的链接',
  'long-name': '名称太长',
  'too-many-open': '无法打开：打开的文件太多；请重试',
  'not-regular': '不是普通文件（{0}）',
  'image-too-large': '是 {0} 字节的图片；上限是 {1}',
  unread: '无法读取（{0}）',
  'is-directory': '是文件夹',
  'is-directory-list': '是文件夹；请使用 LS',
  'is-file-read': '是文件；请使用 Read',
  'outside-for-writing': '在本次会话可以写入的文件夹之外',
  'session-file-written': '属于一个 Mutsumi 会话；只有 Mutsumi 自己能写入',
  'leads-elsewhere': '指向的位置与检查权限时不同；请重试',
  'changed-meanwhile': '在写入期间被更改；请重新读取',
  'unfollowed-link': '属于循环链接，或者刚刚被创建',
  'below-a-file': '的上级不是文件夹',
  'writing-denied': '无法写入：没有权限',
  'too-large-to-change': '有 {0} 字节；最多只能编辑 {1} 字节',
  'read-only-disk': '在只读文件系统上',
  unwritten: '无法写入：{0!}；文件没有变化',
  'disk-full': '磁盘已满',
  'quota-used': '磁盘配额已用完',
  'larger-than-allowed': '会超过文件系统允许的大小',
  'disk-failed': '磁盘故障（EIO）',
  cancelled: '已取消',
  'cancelled-output': '已取消；此前的输出：',
  'timed-out': '超过 {0} 毫秒，已被终止；它没有任何输出',
  'timed-out-output': '超过 {0} 毫秒，已被终止；此前的输出：',
  'not-started': '无法启动命令：{0}',
  'no-free-files': '打开的文件太多；请关闭其他程序，或提高打开文件数的上限（ulimit -n）',
  'created-pointer': '已终止，因为它创建了 {0}，那会使 git 使用另一个文件夹。该文件已删除',
  'created-links':
    '已拒绝，因为该命令在 git 仓库的文件夹中创建了链接或特殊文件：{0}。git 本会通过它们写入别处。它们已被删除',
  'replaced-own-links': '已拒绝，因为该命令创建或替换了 {0}，而启动 Mutsumi 自身时会运行它。它已恢复原样',
  'replaced-meanwhile': '已终止，因为运行期间另一个程序替换了 {0}，使它不再受保护；请重新运行',
  'taken-out':
    '它创建了 {0}。这类文件会在本次会话之外生效，所以已将它们移出工作区，放在 {1}。使用 {2} 会让它们留在工作区',
  'taken-out-links':
    '它创建了 {0}。这类文件会在本次会话之外生效，所以已将它们移出工作区，放在 {1}。只有用户可以把它们放回去',
  'taken-out-of-packages':
    '包带来了 {0}。这类文件会在本次会话之外生效，而包并不需要它们，所以已将它们移出工作区，放在 {1}',
  'too-much-planted':
    '它创建了 {0} 个会在本次会话之外生效的文件和文件夹，数量太多，无法移出（例如 {1}）。请删除它们；在此之前，这里不会运行任何命令',
  'not-taken-out':
    '它创建了 {0}。这类文件会在本次会话之外生效，但无法将它们移出工作区（{1}）。请检查并删除它们；在此之前，这里不会运行任何命令',
  'planted-before':
    '之前的命令创建了 {0}，而它无法移出工作区。请检查并删除它；在此之前，这里不会运行任何命令',
  'unsearchable-now':
    '它创建了太多文件夹，已无法在工作区中搜索会在本次会话之外生效的文件。请删除这些文件夹；在此之前，这里不会运行任何命令',
  'described-bubblewrap': 'bubblewrap（{0}）：命令只能写入工作区，看不到你的主文件夹',
  'described-seatbelt': 'Seatbelt（{0}）：命令只能写入工作区，不能读取你的主文件夹',
  'described-none': '无（{0!}）：{1!}',
  'required-by': '不会运行任何命令（{0}）',
  'missing-in-require':
    '不会运行任何命令（--sandbox require）；--sandbox auto 会不受限制地运行你的规则允许的命令',
  'missing-in-auto': '你的规则允许的命令不受限制地运行，其他命令会先询问；--sandbox require 拒绝所有命令',
  'missing-in-off': '你的规则允许的命令不受限制地运行，其他命令会先询问；--sandbox auto 会尽可能限制它们',
  'remains-bubblewrap':
    '命令运行期间，其他程序可以看到它创建的受保护文件；命令结束时这些文件会被移出。命令可以看到运行期间开始的会话和出现的套接字',
  'remains-seatbelt':
    '.git 中的链接在出现之后才会被发现并删除；能访问网络的命令可以使用套接字；离开进程组并清空环境（env -i）的进程在命令结束后仍会存在',
  'remains-none':
    '运行的命令能做你能做的一切：更改已有的钩子、设置和 .git 中的链接，使用套接字，读取和更改会话。它创建的受保护文件在它结束时会被移出，但离开进程组并清空环境（env -i）的进程会继续存在，并可能再次创建它们',
  'unsearchable-before':
    '之前的命令创建了太多文件夹，已无法在工作区中搜索会在本次会话之外生效的文件。请删除这些文件夹；在此之前，这里不会运行任何命令',
  'check-changed': '命令创建或更改了 {0}：这类文件会在本次会话之外生效，信任它们之前请先检查',
  'killed-taken-out':
    '在这里被强制结束的一次运行中，命令创建了 {0}。这类文件会在会话之外生效，所以已将它们移出工作区，放在 {1}',
  'killed-unsaid':
    '在这里被强制结束的一次运行已将命令创建的文件移出工作区，因为这类文件会在会话之外生效。它没来得及说明。这些文件位于 {0}',
  'killed-not-taken-out':
    '在这里被强制结束的一次运行中，命令创建了 {0}。这类文件会在会话之外生效，但无法将它们移出工作区（{1}）。请检查并删除它们',
  'killed-links':
    '在这里被强制结束的一次运行中，命令在 git 仓库的文件夹中创建了链接或特殊文件：{0}。git 会通过它们写到别处，所以已将它们删除',
  'no-journal':
    '无法写入文件夹 {0}（{1}）。如果一次运行在命令执行期间被强制结束，下一次运行将不知道该命令创建了哪些文件；请将 MUTSUMI_STATE_DIR 设为你自己的文件夹',
  'sandbox-required-by-project':
    '项目要求使用沙箱（{0}），但这里没有：{1!}。--sandbox 不能放宽这一要求；请更改项目的设置',
  'sandbox-required':
    '必须使用沙箱（--sandbox 或配置要求），但这里没有：{0!}。使用 --sandbox auto 时，如果规则或用户允许，它会不受限制地运行',
  'not-confined':
    '本次运行的命令不受限制：{0!}。--sandbox require 会拒绝所有命令；--sandbox off 会隐藏这条提示',
  'missing-with-remedy': '{0!}；安装或启用方法：{1!}',
  'install-by-apt': '运行 apt install bubblewrap',
  'install-by-dnf': '运行 dnf install bubblewrap',
  'install-by-pacman': '运行 pacman -S bubblewrap',
  'install-by-zypper': '运行 zypper install bubblewrap',
  'install-by-apk': '运行 apk add bubblewrap',
  'install-somehow': '安装软件包 bubblewrap',
  'switched-off': '沙箱已关闭',
  'no-sandbox-for': '{0} 没有可用的沙箱',
  'sandbox-not-installed': '{0} 未安装',
  'sandbox-does-not-work': '{0} 在这里无法工作：{1}',
  'allow-namespaces': '允许此用户或此容器创建命名空间',
  'foreign-pointer':
    '{0} 会使 git 使用另一个文件夹的钩子和设置，而 git 本身从不在那里创建这样的文件。请检查并删除它（在 {1} 中）；在此之前，沙箱中不会运行任何命令',
  'too-much-protected':
    '这里有超过 {0} 个受保护的文件和文件夹（例如 .git、.npmrc 和 .vscode）。沙箱无法保护这么多，所以不能运行命令。请删除不需要的，或者在这类文件较少的文件夹中启动 Mutsumi',
  'too-many-folders':
    '{1} 中有超过 {0} 个文件夹（大部分在 {2} 中）。无法在其中全部查找需要保护的文件，所以不能运行命令。请在它下面的某个文件夹中启动 Mutsumi，或者把不需要的内容移到别处',
  'own-files-open':
    'Mutsumi 本身安装在你打开的文件夹中（{0}），没有沙箱时命令可能会替换它，所以不能运行命令。请把 Mutsumi 安装到别处，例如全局安装，或者安装沙箱（bubblewrap）',
  'too-much-denied':
    '规则禁止读取这里的一些文件，但要搜索的文件夹或要隐藏的文件太多，所以不能运行命令；请使用以文件夹开头的规则（用 secrets/** 代替 **/secrets/**），它们不需要搜索',
  'rule-invalid': '规则 {0} 无效：{1!}',
  'rule-unclosed': '右括号不在末尾',
  'rule-no-tool': '{0} 不是工具的名称',
  'rule-fingerprint': 'MCP 工具的规则在括号中只能有它的 #指纹',
  'rule-star': '只有 mcp__server__* 可以用 * 结尾',
  'rule-empty': '括号中没有内容',
  'rule-command-unparsed': '无法解析它的命令：{0!}',
  'rule-many-commands': '它只能指明一个命令；请为每个命令写一条规则',
  'rule-redirection': '重定向由 Write 规则允许，而不是由命令的规则',
  'rule-no-command': '它没有指明命令',
  'rule-not-literal': '它的词必须是字面的；用 :* 结尾可以允许任何后续的词',
  'rule-near-tool': '规则 {0} 指明的工具 {1} 不存在；你是指 {2} 吗？',
  'rule-unknown-tool': '规则 {0} 指明的工具 {1} 不存在；工具有 {2}，服务器的工具写成 mcp__server__tool',
  'rule-long-path': '路径太长，或者含有控制字符',
  'rule-many-alternatives': '它有超过 {0} 种选择；请写成几条规则',
  'rule-parent-path': '路径不能含有 ..',
  'rule-no-path': '它没有指明路径',
  'rule-needs-root': '规则 {0} 需要它的工作区的根文件夹',
  'no-such-rule': '这里没有规则 {0}；mutsumi permissions 列出它们',
  'session-only': '只在本次会话中允许：{0!}',
  'no-place-for-rules': '没有可以保存权限的地方',
  'file-unread': '无法读取 {0}：它{1!}',
  'file-invalid': '{0} 的格式无效：{1}',
  'file-not-json': '{0} 不是 JSON：{1}',
  'file-unwritten': '无法写入 {0}：{1}',
  'file-locked': '另一个进程正在更改 {0}；如果没有这样的进程，请删除 {1}',
  'file-unlockable': '无法锁定 {0}：{1}',
  'trust-unread': '{0!}；在修复之前，不信任任何文件夹',
  'repair-first': '{0!}；请先修复或删除它',
  'folder-missing': '没有找到文件夹 {0}',
  'folder-of-all': '{0} 包含这个磁盘上的所有文件夹；请信任一个你了解的较小的文件夹',
  'near-tool': '没有名为 {0} 的工具；你是指 {1} 吗？',
  'unknown-tool': '没有名为 {0} 的工具；工具有：{1}',
  'denied-folder': '规则禁止读取命令要在其中运行的文件夹，所以不能在那里运行',
}
