/** Rolling updates on a cluster: one body for in-process composites and for controllers of Metacontroller's contract. */
import { expect } from 'vitest';
import type { Place } from '../../examples/testing/started-place.ts';
import type { Planted } from './orchards.ts';

export interface Started {
  readonly place: Place;
  readonly planted: Planted;
  /** Number of stored revisions. */
  readonly revisions: () => Promise<number>;
}

const FIVE = ['elm', 'ash', 'oak', 'fir', 'yew'];

/** All five are moved, each when those before it are ready. The condition goes through exactly these states. */
export async function movesFiveOneByOne({ place, planted, revisions }: Started): Promise<void> {
  await planted.plant(FIVE);

  await planted.edit({ taste: 'sour' });
  for (const [at, name] of FIVE.entries()) {
    const isLast = at === FIVE.length - 1;
    if (isLast) await planted.updatedIs('OnLatestRevision');
    else await planted.updatedIs('RolloutWaiting', `${name}: it has`);
    expect(await planted.tastes()).toEqual(soured(FIVE, at + 1));
    await planted.makeReady(name);
  }
  await place.idle();

  const moved = ['False RolloutProgressing', 'False RolloutWaiting'];
  expect(planted.updates()).toEqual([
    ...[...moved, ...moved, ...moved, ...moved],
    'False RolloutProgressing',
    'True OnLatestRevision',
  ]);
  expect(planted.mostAway()).toBe(1);
  expect(await revisions()).toBe(1);
}

/** The process ends when one child is moved and not ready. Its successor moves none until that one is ready. */
export async function continuesAtTheSameChild({ place, planted }: Started): Promise<void> {
  await planted.plant(['elm', 'ash', 'oak']);
  await planted.edit({ taste: 'sour' });
  await planted.updatedIs('RolloutWaiting', 'elm: it has');

  await place.operator.kill();
  await planted.makeReady('elm', 'False');
  place.startOperator();
  await planted.updatedIs('RolloutWaiting', '"False"');
  const after = await planted.tastes();
  await planted.makeReady('elm');
  await planted.updatedIs('RolloutWaiting', 'ash: it has');

  expect(after).toEqual(soured(['elm', 'ash', 'oak'], 1));
  expect(await planted.tastes()).toEqual(soured(['elm', 'ash', 'oak'], 2));
  expect(planted.mostAway()).toBe(1);
}

/** Three children, and another change when one of them is moved: three revisions, then one. */
export async function takesASecondChange({ place, planted, revisions }: Started): Promise<void> {
  const names = ['elm', 'ash', 'oak'];
  await planted.plant(names);
  await planted.edit({ taste: 'sour' });
  await planted.updatedIs('RolloutWaiting', 'elm: it has');
  await planted.makeReady('elm');
  await planted.updatedIs('RolloutWaiting', 'ash: it has');
  await planted.makeReady('ash', 'False');

  await planted.edit({ taste: 'bitter' });
  await planted.updatedIs('RolloutWaiting', 'elm: it has');
  const tastes = await planted.tastes();
  const alive = await revisions();
  for (const name of names) {
    await planted.updatedIs(name === 'oak' ? 'OnLatestRevision' : 'RolloutWaiting', named(name));
    await planted.makeReady(name);
  }
  await place.idle();

  expect(tastes).toEqual(['ash sour', 'elm bitter', 'oak sweet']);
  expect(alive).toBe(3);
  expect(await planted.tastes()).toEqual(['ash bitter', 'elm bitter', 'oak bitter']);
  expect(await revisions()).toBe(1);
}

function named(name: string): string {
  return name === 'oak' ? '' : `${name}: it has`;
}

/** The tastes of trees of which the first are moved. */
function soured(names: readonly string[], count: number): readonly string[] {
  return names.map((name, at) => `${name} ${at < count ? 'sour' : 'sweet'}`).sort();
}
