import type pg from 'pg';

/**
 * Hands out what `copy (…) to stdout (format binary)` answers, piece by piece: the one way in which the driver leaves binary values
 * untouched, since it reads those of an ordinary answer as text. A copy takes no parameters.
 * @param take told each piece as it arrives; it is written over afterwards
 */
export function copyOut(client: pg.ClientBase, text: string, take: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let refused: unknown = null;
    const answer = {
      // The driver puts its own in this place, and with it the end of its time limit.
      callback: (error: unknown) => (error ? reject(error) : resolve()),
      submit: (connection: pg.Connection) => connection.query(text),
      handleCopyData({ chunk }: { chunk: Buffer }) {
        if (refused) return;
        try {
          take(chunk);
        } catch (error) {
          // The rest of the answer has to come in before the connection can be used again.
          refused = error;
        }
      },
      handleCommandComplete: () => undefined,
      handleError: (error: Error) => answer.callback(error),
      handleReadyForQuery: () => answer.callback(refused),
    };
    client.query(answer);
  });
}
