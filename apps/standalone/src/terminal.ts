/** Writing for people: colours and a moving line on a terminal, plain lines elsewhere. */
export interface Terminal {
  line(text?: string): void;
  error(text: string): void;
  /** What is going on now; replaced by the next one, on a terminal. */
  progress(text: string): void;
  /** Removes the moving line. */
  clear(): void;
  bold(text: string): string;
  dim(text: string): string;
}

type Output = NodeJS.WriteStream;

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
    progress(text) {
      if (text === moving) return;
      if (live) out.write(`\r\u001b[2K${text.slice(0, Math.max(20, (out.columns ?? 80) - 1))}`);
      else out.write(`  ${text}\n`);
      moving = text;
    },
    clear,
    bold: (text) => style(1, text),
    dim: (text) => style(2, text),
  };
}
