import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow one command. */
export interface Completions {
  /** The command without the program's name: "" or "workspace add". */
  path: string;
  words: { word: string; description: string }[];
}

const isShown = (command: Command): boolean => !(command as unknown as { _hidden?: boolean })._hidden;

/** Every command with what may follow it: its commands, its options, and the choices of its first argument. */
export function completionsOf(program: Command): Completions[] {
  const found: Completions[] = [];
  const shared = program.options.map(({ long, description }) => ({ word: long ?? '', description }));
  function visit(command: Command, path: string): void {
    const commands = command.commands.filter(isShown);
    const words = [
      ...commands.map((each) => ({ word: each.name(), description: each.description() })),
      ...(command.registeredArguments[0]?.argChoices ?? []).map((word) => ({ word, description: '' })),
      ...(command === program ? [] : command.options).map(({ long, description }) => ({
        word: long ?? '',
        description,
      })),
      ...shared,
    ].filter(({ word }) => word !== '');
    found.push({ path, words });
    for (const each of commands) visit(each, path === '' ? each.name() : `${path} ${each.name()}`);
  }
  visit(program, '');
  return found;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const wordsOf = ({ words }: Completions): string => words.map(({ word }) => word).join(' ');

function bash(all: readonly Completions[]): string {
  const cases = all.map((each) => `    ${quoted(each.path)}) words=${quoted(wordsOf(each))} ;;`);
  const paths = all.map(({ path }) => quoted(path)).join(' ');
  return `# bash: eval "$(slowwave completion bash)", in ~/.bashrc
_slowwave() {
  local path='' next word words='' known
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    for known in ${paths}; do
      if [[ $known == "$next" ]]; then path=$next; break; fi
    done
  done
  case $path in
${cases.join('\n')}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}") )
  if [[ \${#COMPREPLY[@]} -eq 0 && \${COMP_WORDS[COMP_CWORD]} != -* ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _slowwave slowwave
`;
}

function zsh(all: readonly Completions[]): string {
  const entry = ({ word, description }: { word: string; description: string }) =>
    quoted(`${word.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`);
  const cases = all.map(({ path, words }) => `    ${quoted(path)}) words=(${words.map(entry).join(' ')}) ;;`);
  const paths = all.map(({ path }) => quoted(path)).join(' ');
  return `#compdef slowwave
# zsh: eval "$(slowwave completion zsh)", in ~/.zshrc after compinit
_slowwave() {
  local path_='' next word
  local -a known words_ before
  known=(${paths})
  before=(\${words[2,CURRENT-1]})
  for word in $before; do
    next="\${path_:+$path_ }$word"
    if (( \${known[(Ie)$next]} )); then path_=$next; fi
  done
  local -a words
  case $path_ in
${cases.join('\n')}
  esac
  _describe 'slowwave' words || _files
}
compdef _slowwave slowwave
`;
}

function fish(all: readonly Completions[]): string {
  const names = (path: string) => path.split(' ').filter(Boolean);
  const lines = all.flatMap(({ path, words }) => {
    const below = all.filter(
      (each) => names(each.path).length === names(path).length + 1 && each.path.startsWith(path),
    );
    const seen = names(path).map((name) => `__fish_seen_subcommand_from ${name}`);
    const others = below.map((each) => names(each.path).at(-1)).join(' ');
    const none = others === '' ? [] : [`not __fish_seen_subcommand_from ${others}`];
    const condition = [...seen, ...none].join('; and ') || 'true';
    return words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${quoted(word)}`;
      return `complete -c slowwave -n ${quoted(condition)} ${what} -d ${quoted(description)}`;
    });
  });
  return `# fish: slowwave completion fish > ~/.config/fish/completions/slowwave.fish
${lines.join('\n')}
`;
}

/** A script that completes the commands and options of a program in a shell. */
export function completionScript(shell: Shell, program: Command): string {
  const all = completionsOf(program);
  if (shell === 'bash') return bash(all);
  return shell === 'zsh' ? zsh(all) : fish(all);
}
