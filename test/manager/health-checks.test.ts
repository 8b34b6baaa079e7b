import { FakeClock } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import {
  type NeededSource,
  sourcesCheck,
  syncedCheck,
} from '../../operator/manager/http/health-checks.ts';
import { ApiError } from '../../operator/model/status.ts';
import type { SourceState } from '../../operator/store/shared-informer.ts';

interface SourceFacts {
  synced: boolean;
  state: SourceState;
  lastContactAt: number | undefined;
}

function sourceOf(resource: string, facts: Partial<SourceFacts> = {}) {
  const status = { health: 'healthy', reason: undefined, error: undefined, retryInMs: undefined };
  const informer = { synced: true, state: 'watching', lastContactAt: 0, status, ...facts };
  return { facts: { resource }, informer: informer as typeof informer & SourceFacts };
}

const late = new AmbassadorError('late', { code: 'AMBASSADOR_TIMEOUT', fate: 'unknown' });

const asNeeded = (all: readonly object[]) => () => all as readonly NeededSource[];

describe('syncedCheck', () => {
  test('[H-3] the synced check passes as soon as every source has its first list', () => {
    const pods = sourceOf('pods');
    const late = sourceOf('secrets', { synced: false, state: 'waiting' });
    const check = syncedCheck(asNeeded([pods, late]));

    const before = [check.ok(), check.why?.()];
    late.informer.synced = true;

    expect(before).toEqual([
      false,
      { count: 1, sources: [{ resource: 'secrets', state: 'waiting' }] },
    ]);
    expect(check.ok()).toBe(true);
  });

  test('[H-3] the synced check still passes when a source fails after its first list, but not when the source has stopped', () => {
    const source = sourceOf('pods');
    const check = syncedCheck(asNeeded([source]));
    const states: SourceState[] = ['watching', 'waiting', 'forbidden', 'unserved'];

    const held = states.map((state) => {
      source.informer.state = state;
      return check.ok();
    });
    source.informer.synced = false; // as one that has stopped

    expect(held).toEqual([true, true, true, true]);
    expect(check.ok()).toBe(false);
  });

  test.each<[string, boolean]>([
    ['starting', true],
    ['healthy', true],
    ['failing', false],
    ['forbidden', false],
    ['unserved', false],
    ['stopped', false],
  ])('[H-1] if a source has no list yet and is %s, the process counts as starting: %s', (health, starting) => {
    const pods = sourceOf('pods');
    const late = sourceOf('secrets', { synced: false });
    late.informer.status.health = health;

    const check = syncedCheck(asNeeded([pods, late]));

    expect([check.ok(), check.starting?.()]).toEqual([false, starting]);
  });

  test.each<[string, string, unknown, string, boolean]>([
    ['Boats that the API server refuses', 'failing', new ApiError({ code: 500 }), 'boats', true],
    ['Boats that gets no answer in time', 'failing', late, 'boats', true],
    ['Boats that cannot reach the API server', 'failing', new Error('away'), 'boats', false],
    ['Boats that is forbidden', 'forbidden', new ApiError({ code: 403 }), 'boats', false],
    ['Boats that is under way', 'starting', undefined, 'boats', false],
    ['Pods that the API server refuses', 'failing', new ApiError({ code: 500 }), 'pods', false],
  ])('[H-3] a process that converts Boats does not wait for a list of %s if the list may need a conversion', (_what, health, error, plural, ok) => {
    const source = { ...sourceOf(plural, { synced: false }), resource: { plural } };
    Object.assign(source.informer.status, { health, error });

    const check = syncedCheck(asNeeded([source]), (resource) => resource.plural === 'boats');

    expect(check.ok()).toBe(ok);
  });

  test('if many sources are missing, the message of the synced check contains only a few of them', () => {
    const all = Array.from({ length: 50 }, (_, at) => sourceOf(`r${at}`, { synced: false }));

    const why = syncedCheck(asNeeded(all)).why?.();

    expect(why).toMatchObject({ count: 50, sources: { length: 5 } });
  });

  test('the synced check passes without sources', () => {
    expect(syncedCheck(asNeeded([])).ok()).toBe(true);
  });
});

describe('sourcesCheck', () => {
  test.each<[SourceState, boolean]>([
    ['watching', true],
    ['listing', true],
    ['waiting', true],
    ['stopped', false],
    ['forbidden', false],
    ['unserved', false],
  ])('[H-4] the sources check with a source that is %s passes: %s', (state, ok) => {
    const check = sourcesCheck(asNeeded([sourceOf('pods', { state })]), { clock: new FakeClock() });

    expect(check.ok()).toBe(ok);
  });

  test('[H-4] the sources check fails if the server has not answered for twice the time of the longest watch', () => {
    const clock = new FakeClock();
    const deaf = sourceOf('pods'); // half open: it is still watching
    const check = sourcesCheck(asNeeded([deaf, sourceOf('secrets')]), { clock });

    clock.advance(20 * 60_000);
    const after20Minutes = check.ok();
    clock.advance(1);
    const later = check.ok();
    deaf.informer.lastContactAt = clock.monotonic();

    expect([after20Minutes, later]).toEqual([true, false]);
    expect(check.why?.()).toMatchObject({ count: 1, sources: [{ resource: 'secrets' }] });
  });

  test('[H-4] the time limit of the sources check depends on the option `longestWatchSeconds`', () => {
    const clock = new FakeClock();
    const options = { clock, longestWatchSeconds: 30 };
    const check = sourcesCheck(asNeeded([sourceOf('pods')]), options);

    clock.advance(60_000);
    const atTheLimit = check.ok();
    clock.advance(1);

    expect([atTheLimit, check.ok()]).toEqual([true, false]);
  });

  test('[H-4] the sources check fails for a server that never answered', () => {
    const never = sourceOf('pods', { lastContactAt: undefined });

    expect(sourcesCheck(asNeeded([never]), { clock: new FakeClock() }).ok()).toBe(false);
  });
});
