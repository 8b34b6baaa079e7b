import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { type Cancel, type Clock, sleep } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';

/** The kind of a function that code uses directly, instead of the clock and the client in its context. */
export type OwnUse = 'clock' | 'randomness' | 'network';

/** The replacements for time and randomness during one run. */
export interface VirtualWorld {
  /** The clock for timers that user code sets itself. */
  readonly clock: Clock;
  /** Returns uniform numbers in [0, 1). They are the same in each run. */
  readonly random: () => number;
  /**
   * Called when a replaced function is used. The call comes directly or indirectly from the code that uses
   * it.
   */
  readonly uses: (what: OwnUse, name: string) => void;
  /** The number of immediates that have been set and have not run. The run waits for them. */
  immediates: number;
}

const worlds = new AsyncLocalStorage<VirtualWorld>();

/** The number of callers for which the globals are replaced now. */
let users = 0;
let restore: () => void = () => {};

/**
 * Replaces clocks, timers, randomness and the network for code in a world, until the returned function is
 * called.
 */
export function replaceGlobals(): () => void {
  if (users++ === 0) restore = replaced();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--users === 0) restore();
  };
}

/** Runs `act`, and everything that it starts, in `world`. Other code of the process keeps the real time. */
export function inWorld<T>(world: VirtualWorld, act: () => T): T {
  return worlds.run(world, act);
}

function replaced(): () => void {
  const undo: (() => void)[] = [];
  const put = (target: object, name: string, value: unknown): void => {
    const own = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, own);
    });
  };
  replaceClocks(put);
  replaceTimers(put);
  replaceRandomness(put);
  replaceNetwork(put);
  syncBuiltinESMExports();
  return () => {
    for (const each of undo.reverse()) each();
    syncBuiltinESMExports();
  };
}

type Put = (target: object, name: string, value: unknown) => void;

/** A function that calls `virtual` when it runs in a world, and `real` when it does not. */
function either<A extends unknown[], R>(
  real: (...given: A) => R,
  virtual: (world: VirtualWorld, ...given: A) => R,
): (...given: A) => R {
  // By the name of this function, `OwnUses` finds the place on the stack where the user's code begins.
  return function usedInWorld(this: unknown, ...given: A): R {
    const world = worlds.getStore();
    return world === undefined ? real.apply(this, given) : virtual(world, ...given);
  };
}

function replaceClocks(put: Put): void {
  const RealDate = globalThis.Date;
  const now = (world: VirtualWorld, name: string): number => {
    world.uses('clock', name);
    return world.clock.now();
  };
  put(
    RealDate,
    'now',
    either(RealDate.now, (world) => now(world, 'Date.now')),
  );
  const VirtualDate = new Proxy(RealDate, {
    construct: function usedInWorld(target, given, newTarget) {
      const world = worlds.getStore();
      const isNow = given.length === 0 && world !== undefined;
      return Reflect.construct(target, isNow ? [now(world, 'new Date()')] : given, newTarget);
    },
    apply: function usedInWorld(target, self, given) {
      const world = worlds.getStore();
      if (world === undefined) return Reflect.apply(target, self, given);
      return new target(now(world, 'Date()')).toString();
    },
  });
  put(globalThis, 'Date', VirtualDate);
  const { performance } = globalThis;
  put(
    performance,
    'now',
    either(performance.now.bind(performance), (world) => {
      world.uses('clock', 'performance.now');
      return world.clock.monotonic();
    }),
  );
}

function replaceTimers(put: Put): void {
  const timers = process.getBuiltinModule('node:timers');
  const promises = process.getBuiltinModule('node:timers/promises');
  for (const target of [globalThis, timers]) {
    put(target, 'setTimeout', either(target.setTimeout as never, virtualTimeout));
    put(target, 'setInterval', either(target.setInterval as never, virtualInterval));
    put(target, 'setImmediate', either(target.setImmediate as never, countedImmediate));
    put(target, 'clearImmediate', clearCounted);
    for (const name of ['clearTimeout', 'clearInterval'] as const) {
      const real = target[name] as (timer: unknown) => void;
      put(target, name, (timer: unknown) => {
        if (timer instanceof VirtualTimer) timer.close();
        else real(timer);
      });
    }
  }
  put(
    promises,
    'setTimeout',
    either(
      promises.setTimeout as (ms?: number, value?: unknown, options?: object) => Promise<unknown>,
      async (world, ms = 1, value = undefined, options: { signal?: AbortSignal } = {}) => {
        world.uses('clock', 'setTimeout');
        await sleep(world.clock, ms, options.signal ?? new AbortController().signal);
        return value;
      },
    ),
  );
  put(
    promises,
    'setImmediate',
    either(
      promises.setImmediate as (value?: unknown) => Promise<unknown>,
      (world, value) =>
        new Promise((resolve) => void countedImmediate(world, () => resolve(value))),
    ),
  );
  put(
    AbortSignal,
    'timeout',
    either(AbortSignal.timeout, (world, ms) => {
      world.uses('clock', 'AbortSignal.timeout');
      const controller = new AbortController();
      const late = (): void =>
        controller.abort(
          new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
        );
      world.clock.schedule(ms, late);
      return controller.signal;
    }),
  );
}

/** The result of `setTimeout` in a world. It has the same methods as in Node. */
class VirtualTimer {
  readonly #arm: () => Cancel;
  #cancel: Cancel;

  constructor(arm: () => Cancel) {
    this.#arm = arm;
    this.#cancel = arm();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.#cancel();
    this.#cancel = this.#arm();
    return this;
  }

  close(): void {
    this.#cancel();
  }
}

type Callback = (...given: unknown[]) => void;

function virtualTimeout(
  world: VirtualWorld,
  act: Callback,
  ms = 1,
  ...given: unknown[]
): VirtualTimer {
  world.uses('clock', 'setTimeout');
  return new VirtualTimer(() => world.clock.schedule(Number(ms) || 1, () => act(...given)));
}

function virtualInterval(
  world: VirtualWorld,
  act: Callback,
  ms = 1,
  ...given: unknown[]
): VirtualTimer {
  world.uses('clock', 'setInterval');
  let cancel: Cancel = () => {};
  const arm = (): Cancel => {
    cancel = world.clock.schedule(Math.max(Number(ms) || 1, 1), () => {
      arm();
      act(...given);
    });
    return () => cancel();
  };
  return new VirtualTimer(arm);
}

const { clearImmediate: realClearImmediate, setImmediate: realSetImmediate } = globalThis;

/** The world of each `setImmediate` callback that was scheduled in a world and has not run yet. */
const counted = new WeakMap<NodeJS.Immediate, VirtualWorld>();

function countedImmediate(world: VirtualWorld, act: Callback, ...given: unknown[]): unknown {
  const immediate = realSetImmediate(() => {
    discount(immediate);
    act(...given);
  });
  counted.set(immediate, world);
  world.immediates++;
  return immediate;
}

function clearCounted(immediate: NodeJS.Immediate | undefined): void {
  if (immediate) discount(immediate);
  realClearImmediate(immediate);
}

function discount(immediate: NodeJS.Immediate): void {
  const world = counted.get(immediate);
  if (world === undefined) return;
  counted.delete(immediate);
  world.immediates--;
}

function replaceRandomness(put: Put): void {
  const random = (world: VirtualWorld, name: string): number => {
    world.uses('randomness', name);
    return world.random();
  };
  put(
    Math,
    'random',
    either(Math.random, (world) => random(world, 'Math.random')),
  );
  const crypto = process.getBuiltinModule('node:crypto');
  const fill = <T extends NodeJS.ArrayBufferView>(world: VirtualWorld, view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(world.random() * 256);
    return view;
  };
  for (const target of [crypto, globalThis.crypto]) {
    put(
      target,
      'randomUUID',
      either(target.randomUUID.bind(target), (world) => {
        world.uses('randomness', 'randomUUID');
        return uuidOf(fill(world, Buffer.alloc(16)));
      }),
    );
  }
  // The function of `node:crypto` is not replaced, because this is not possible. It is rarely used.
  const web = globalThis.crypto;
  put(
    web,
    'getRandomValues',
    either(web.getRandomValues.bind(web), (world, view: never) => {
      world.uses('randomness', 'getRandomValues');
      return fill(world, view);
    }),
  );
  put(
    crypto,
    'randomBytes',
    either(
      crypto.randomBytes as (size: number, then?: (error: null, bytes: Buffer) => void) => Buffer,
      (world, size, then) => {
        world.uses('randomness', 'randomBytes');
        const bytes = fill(world, Buffer.alloc(size));
        if (then !== undefined) process.nextTick(then, null, bytes);
        return bytes;
      },
    ),
  );
  put(
    crypto,
    'randomInt',
    either(crypto.randomInt as (min: number, max?: number) => number, (world, first, second) => {
      const [min, max] = second === undefined ? [0, first] : [first, second];
      return min + Math.floor(random(world, 'randomInt') * (max - min));
    }),
  );
}

/** Makes a UUID of version 4, according to RFC 9562. */
function uuidOf(bytes: Buffer): `${string}-${string}-${string}-${string}-${string}` {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function replaceNetwork(put: Put): void {
  const refuse = (world: VirtualWorld, name: string): Error => {
    world.uses('network', name);
    return new ConfigurationError(
      `${name}: code that is run in virtual time has no network, because its answers would differ from run to run`,
    );
  };
  put(
    globalThis,
    'fetch',
    either(globalThis.fetch, async (world) => {
      throw refuse(world, 'fetch');
    }),
  );
  const { Socket } = process.getBuiltinModule('node:net');
  const connect = Socket.prototype.connect as (...given: unknown[]) => unknown;
  put(
    Socket.prototype,
    'connect',
    function (this: InstanceType<typeof Socket>, ...given: unknown[]) {
      const world = worlds.getStore();
      if (world === undefined) return connect.apply(this, given);
      const error = refuse(world, 'a connection');
      process.nextTick(() => this.destroy(error));
      return this;
    },
  );
}
