import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.ts';

describe('a terminal', () => {
  it('goes on when its reader has seen enough, and hides no other trouble', () => {
    const streams = [new PassThrough(), new PassThrough()] as unknown as [
      NodeJS.WriteStream,
      NodeJS.WriteStream,
    ];
    const terminal = createTerminal({ colour: false }, ...streams);
    for (const stream of streams) {
      stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      expect(() => stream.emit('error', new Error('no space'))).toThrow('no space');
    }
    expect(() => terminal.line('still here')).not.toThrow();
  });
});
