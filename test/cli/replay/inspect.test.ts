/** `chancery replay --inspect`, with a debugger that speaks the protocol of Chrome. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { copyIncident } from '../../flight/replay/copy-incident.ts';
import { configMap, type MadeRecord, PATH } from '../../flight/replay/made-record.ts';
import { chancery } from '../child.ts';
import { incidentWith, OPERATOR, textOf } from './incident-folder.ts';

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly callFrames: readonly { readonly callFrameId: string }[] };
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

/** A debugger at the end of a WebSocket. */
class Debugger {
  readonly #socket: WebSocket;
  readonly #answers: Answer[] = [];
  readonly #waiting = new Set<() => void>();
  #id = 0;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.addEventListener('message', ({ data }) => {
      this.#answers.push(JSON.parse(String(data)) as Answer);
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    });
  }

  async open(): Promise<void> {
    await once(this.#socket, 'open');
  }

  close(): void {
    this.#socket.close();
  }

  async call(method: string, params: object = {}): Promise<Answer> {
    const id = ++this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return this.#next((each) => each.id === id);
  }

  /** The value of an expression, where the program stops next. */
  async valueAtPause(expression: string): Promise<unknown> {
    const { params } = await this.#next(({ method }) => method === 'Debugger.paused');
    const [frame] = params?.callFrames ?? [];
    const answer = await this.call('Debugger.evaluateOnCallFrame', {
      ...{ expression, returnByValue: true, callFrameId: frame?.callFrameId },
    });
    return answer.result?.result?.value;
  }

  async #next(isWanted: (answer: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const at = this.#answers.findIndex(isWanted);
      const [found] = at < 0 ? [] : this.#answers.splice(at, 1);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }
}

/** The incident, with an attempt at another key between those at `web`. */
function withAnotherKey(): MadeRecord {
  const made = copyIncident();
  const later = made.lines.splice(
    made.lines.findIndex((line) => 'at' in line && line.at > 200_000),
  );
  const created = {
    ...{ method: 'POST', path: `${PATH}?fieldManager=copy&fieldValidation=Warn` },
    body: {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } },
      metadata: { name: 'blog-copy', namespace: 'demo' },
    },
    answer: configMap('blog-copy', '12', { a: '1' }),
  };
  return made
    .event(100_000, 'ADDED', configMap('blog', '12', { a: '1' }))
    .attempt(100_001, 'demo/blog', [created])
    .add(...later);
}

it('`replay --inspect` waits on loopback for a debugger, and pauses before each attempt at the key', async () => {
  const { record, operator } = incidentWith(OPERATOR, OPERATOR, withAnotherKey());

  const child = chancery(['replay', record, operator, '--inspect', '--key', 'demo/web']);
  await child.stderr.until(() => textOf(child.stderr).includes('attach a debugger to '));
  const [, url = ''] = /attach a debugger to (\S+),/.exec(textOf(child.stderr)) ?? [];
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const inspector = new Debugger(url);
  await inspector.open();
  await inspector.call('Debugger.enable');
  await inspector.call('Runtime.runIfWaitingForDebugger');
  const stops: unknown[] = [];
  for (const _ of [1, 2]) {
    stops.push(await inspector.valueAtPause('[given[1].key, given[0].data.a]'));
    await inspector.call('Debugger.resume');
  }
  inspector.close();

  expect(stops).toEqual([
    ['demo/web', '2'],
    ['demo/web', '3'],
  ]);
  expect(await child.exit).toBe(0);
  expect(textOf(child.stdout)).toContain('the same as recorded: 3 attempts and 3 writes');
});
