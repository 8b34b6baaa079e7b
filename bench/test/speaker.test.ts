import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { nanosecondsIn, numberIn, parseMessage } from '../message.ts';
import { Speaker } from '../speaker.ts';

function speaking(script: string, timeoutMs = 30_000): Speaker {
  const environment = { PATH: process.env.PATH ?? '' };
  const speaker = new Speaker({ command: 'sh', words: ['-c', script], environment, timeoutMs });
  onTestFinished(() => speaker.end());
  return speaker;
}

test('a message is kept if it arrives before it is requested, and is returned only once', async () => {
  const speaker = speaking(
    `echo '{"is":"a","n":1}'; echo noise; echo '{"is":"b"}'; echo '{"is":"a","n":2}'; exec cat`,
  );

  expect(await speaker.hear('b')).toEqual({ is: 'b' });
  expect(await speaker.hear('a')).toEqual({ is: 'a', n: 1 });
  expect(await speaker.hear('a')).toEqual({ is: 'a', n: 2 });
});

test('a command is sent to the process as one line, and the answer is returned', async () => {
  const speaker = speaking(`read -r line; echo "{\\"is\\":\\"answer\\",\\"to\\":$line}"; exec cat`);

  expect(await speaker.ask({ do: 'reset', delay: true }, 'answer')).toEqual({
    is: 'answer',
    to: { do: 'reset', delay: true },
  });
});

test('if the process ends, the error contains the end of its standard error', async () => {
  const speaker = speaking('echo "no memory left" >&2; exit 3');

  await expect(speaker.hear('synced')).rejects.toThrow(
    /no "synced" from sh -c .*it ended with 3\n {4}no memory left$/s,
  );
});

test('a process that prints nothing before the timeout causes an error', async () => {
  const speaker = speaking('exec cat', 1);

  await expect(speaker.hear('synced')).rejects.toThrow(/nothing came in 1 ms/);
});

test('waiting for a message ends when the overall deadline passes', async () => {
  const options = {
    command: 'sh',
    words: ['-c', 'exec cat'],
    environment: { PATH: process.env.PATH ?? '' },
  };
  const stop = new AbortController();
  const speaker = new Speaker({ ...options, timeoutMs: 30_000, deadline: stop.signal });
  onTestFinished(() => speaker.end());
  const heard = speaker.hear('synced');

  stop.abort();

  await expect(heard).rejects.toThrow(/the time was over/);
});

test('a command that does not exist causes an error', async () => {
  const options = { words: [], environment: {}, timeoutMs: 30_000 };
  const speaker = new Speaker({ command: '/nonexistent/subject', ...options });

  await expect(speaker.hear('synced')).rejects.toThrow(/ENOENT/);
});

test('when a process is ended, the processes that it has started are ended, too', async () => {
  const speaker = speaking(`sleep 600 & echo "{\\"is\\":\\"child\\",\\"pid\\":$!}"; wait`);
  const pid = numberIn(await speaker.hear('child'), 'pid');

  await speaker.end();

  await expect.poll(() => isAlive(pid)).toBe(false);
});

test.each(['', 'text', '{"is":', '{"do":"x"}', '[]', '{"is":1}'])('%j is not a message', (line) => {
  expect(parseMessage(line)).toBeUndefined();
});

test('a message field of the wrong type causes an error, and does not become NaN', () => {
  expect(() => numberIn({ ms: '1' }, 'ms')).toThrow(/"ms" is no number/);
  expect(() => nanosecondsIn({ atNs: 1 }, 'atNs')).toThrow(/"atNs" is no time/);
  expect(nanosecondsIn({ atNs: '12345678901234567890' }, 'atNs')).toBe(12345678901234567890n);
});

/** What has ended, and nobody has asked for yet, is a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^[0-9]+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
