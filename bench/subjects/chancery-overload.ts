/**
 * Ours, given what is too much. It looks itself whether its handlers are told of everything, in order,
 * and ends when they are not: a figure of such a run is worth nothing. Modes:
 *
 *     slow     a handler that takes a millisecond for each call, and holds back the socket
 *     stuck    a handler that never returns, beside one that does
 *     deleted  everything goes at once
 *     endless  two sources, one of which is sent a line without end
 *     large    a list that is one large page
 */
import { setTimeout as after } from 'node:timers/promises';
import { Ascending, InTurn } from '../../test/support/load/in-turn.ts';
import { chancery, internals, lowLevel } from './chancery.ts';
import { configuration, handled, imported, onExpectation, synced } from './child.ts';

imported();
const { ENDLESS_NAMESPACE, NAMESPACE } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');
const { defineResource, dropManagedFields, splitKey } = chancery;
const { Informer, listWatch, systemClock, undiciTransport } = lowLevel;
const { transformed } = internals;

const { mode, objects, url } = configuration;
const { group, version, plural, kind } = profileNamed(configuration.profile);
const resource = defineResource({ group, version, plural, kind, namespaced: true });
const transport = undiciTransport(url);
const SLOW_MS = 1;
/** Beyond these, what waits for a handler is merged key by key: at most two changes for each. */
const MOST_WAITING = 1_000 + 2 * (objects + 1);

type Ours = InstanceType<typeof Informer>;
type Status = Ours['status'];
type Changes = Parameters<Parameters<Ours['addHandler']>[0]>[0];

function informerOf(namespace: string, told: (status: Status) => void = broken): Ours {
  const source = listWatch(transport, resource, { namespace });
  const observer = { statusChanged: told, drifted() {}, handlerFailed: fail };
  const options = { clock: systemClock, relistIntervalMs: 0 };
  return new Informer(transformed(source, dropManagedFields), observer, options);
}

/** Nothing is to fail here: what does would be waited for in vain. */
function broken({ health, error }: Status): void {
  if (health === 'failing') fail(error);
}

function fail(error: unknown): never {
  process.exitCode = 1;
  process.stderr.write(`${String(error)}\n`);
  process.exit();
}

let due = new InTurn(objects);
let all = 0;
onExpectation(({ events, keys }) => {
  due = new InTurn(keys || objects);
  all = events;
});

/** Each in turn, the marker when all have come, and then nothing. */
function check(changes: Changes): void {
  for (const { key } of changes) {
    const { name } = splitKey(key);
    if (name.startsWith('marker-')) {
      if (due.told !== all - 1) fail(new Error(`${due.told} of ${all - 1} events have come`));
    } else {
      due.take(name);
    }
    handled(name);
  }
}

const { signal } = new AbortController();

if (mode === 'endless') {
  await endless();
} else {
  const informer = informerOf(NAMESPACE);
  let told: ReturnType<Ours['addHandler']>;
  if (mode === 'slow') {
    const slowly = async (changes: Changes): Promise<void> => {
      check(changes);
      await after(SLOW_MS);
    };
    told = informer.addHandler(slowly, { backpressure: true });
  } else {
    told = informer.addHandler(check);
  }
  if (mode === 'stuck') {
    const stuck = informer.addHandler(() => new Promise<void>(() => {}));
    const look = (): void => {
      if (stuck.pending > MOST_WAITING) fail(new Error(`${stuck.pending} changes wait`));
    };
    informer.addHandler(look);
  }
  void informer.run(signal);
  // Not before the handler was shown all of it: it counts what comes then.
  await informer.until(() => told.synced, signal);
  if (informer.size().objects !== objects) fail(new Error('the first list is not complete'));
  synced(objects);
}

/** The marker counts when both have seen it. */
async function endless(): Promise<void> {
  let undecodable = false;
  const markers = new Map<string, number>();
  const follow = (told: (name: string) => void) => {
    const times = new Ascending();
    return (changes: Changes): void => {
      for (const { key } of changes) {
        const { name } = splitKey(key);
        if (name.startsWith('at-')) times.take(name);
        if (!name.startsWith('marker-')) told(name);
        else if (markers.set(name, (markers.get(name) ?? 0) + 1).get(name) === 2) {
          if (!undecodable) fail(new Error('nobody was told of the line without end'));
          handled(name);
        }
      }
    };
  };
  const beside = informerOf(NAMESPACE);
  beside.addHandler(follow(handled));
  const victim = informerOf(ENDLESS_NAMESPACE, ({ reason }) => {
    if (reason === 'undecodable') undecodable = true;
  });
  victim.addHandler(follow(() => {}));
  for (const informer of [beside, victim]) void informer.run(signal);
  await beside.until(() => beside.synced, signal);
  await victim.until(() => victim.synced, signal);
  synced(objects);
}
