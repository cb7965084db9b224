import { cutTo } from './table.ts';

/** Writing for people: colours and a moving line on a terminal, plain lines elsewhere. */
export interface Terminal {
  line(text?: string): void;
  error(text: string): void;
  /**
   * What is going on now; replaced by the next one, on a terminal.
   * @param share how much of it is done, 0 to 1: drawn as a bar on a terminal, and nothing is said elsewhere
   */
  progress(text: string, share?: number): void;
  /** Removes the moving line. */
  clear(): void;
  /** How many columns a line may have; null where nobody looks and nothing is cut. */
  columns: number | null;
  bold(text: string): string;
  dim(text: string): string;
}

type Output = NodeJS.WriteStream;

const BAR_WIDTH = 24;

/** "[######------------------]  25 %" */
export function barOf(share: number): string {
  const done = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
  const filled = Math.floor(done * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${String(Math.floor(done * 100)).padStart(3)} %`;
}

export function createTerminal(
  options: { colour: boolean },
  out: Output = process.stdout,
  err: Output = process.stderr,
): Terminal {
  const live = out.isTTY === true;
  const colour = live && options.colour;
  const style = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  // Whoever reads us may have seen enough, as `head` does: the work goes on, and nothing more is said.
  for (const stream of [out, err]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  let moving = '';
  function clear(): void {
    if (live && moving) out.write('\r\u001b[2K');
    moving = '';
  }
  return {
    line(text = '') {
      clear();
      out.write(`${text}\n`);
    },
    error(text) {
      clear();
      err.write(`${text}\n`);
    },
    progress(text, share) {
      const line = share === undefined ? text : `${barOf(share)} ${text}`;
      if (line === moving || (share !== undefined && !live)) return;
      if (live) out.write(`\r\u001b[2K${cutTo(line, Math.max(20, (out.columns ?? 80) - 1))}`);
      else out.write(`  ${line}\n`);
      moving = line;
    },
    clear,
    get columns() {
      return live ? (out.columns ?? 80) : null;
    },
    bold: (text) => style(1, text),
    dim: (text) => style(2, text),
  };
}
