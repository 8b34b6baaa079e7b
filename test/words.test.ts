/** Words of our own that the toolkit had for things with a name of the field. They do not come back. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { declaredNames } from './support/declared-names.ts';

/** An identifier that is not used, and the words that are used for it. */
const IDENTIFIERS: Readonly<Record<string, string>> = {
  AroundAttempt: 'ReconcileMiddleware',
  Access: 'AccessRule',
  Attempts: 'ReconcileLoop',
  DeclaredAccess: 'RequiredAccessRule',
  ExcessRule: 'ExcessAccessRule',
  Finding: 'Diagnostic, or a poll of discovery',
  GateSeat: 'LimitedSource',
  GrantedAccess: 'a granted AccessRule',
  HeldObject: 'Entry',
  Hold: 'Entry, or the word for what it does',
  InformerLease: 'InformerHandle',
  Intake: 'an event source, subscribe',
  Keeping: 'Entry',
  ListGate: 'ListLimiter',
  Mandate: 'LeaseTerm',
  MissingRule: 'MissingAccessRule',
  NeededRight: 'RequiredRight',
  Overlay: 'OwnWrites',
  Overlays: 'OwnWritesJournal',
  OwnWriteForm: 'CachedForm',
  OwningManager: 'Manager',
  Position: 'ResumePoint',
  SharedLook: 'DiscoveryPoll',
  Tenure: 'LeaseTerm',
  Turn: 'TimeSlice',
  TurnLimit: 'TimeSlice',
  WatchReceiver: 'WatchConsumer',
  WatchStep: 'Reflector',
  WatchWindow: 'watchOnce',
  bringAbout: 'applyChildren',
  claimChildren: 'adoptOrphans',
  contend: 'acquire',
  deprive: 'lose',
  giveUp: 'release',
  hold: 'lag, backpressure, renew, pause, processing',
  inTurns: 'runInSlices',
  look: 'a poll of discovery, or the word for what is read',
  news: 'ElectionEvents',
  readably: 'ifReadable',
  syncAnswer: 'validateSyncResult',
  takeIn: 'subscribe',
};

/** Parts of file names, between dashes. `overlays` of kustomize are another thing. */
const FILE_NAMES =
  /^(?:agreement|around-once|attempts?|bring-about|carried-out|claim-children|contact|contend|declared-access|early-keys|finding|hold.*|informer-lease|intake|keeping|list-gate|look|mandate|needed-rights|election-news|overlay|own-write-form|owning-manager|position|soon-again|surroundings|sync-answer|tenure|turns)$/;

const operator = new URL('../operator/', import.meta.url);
const files = readdirSync(operator, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

test('no identifier in operator/ uses a word that has a better, established term', () => {
  const found = files.flatMap((file) =>
    declaredNames(readFileSync(new URL(file, operator), 'utf8'))
      .filter((name) => Object.hasOwn(IDENTIFIERS, name))
      .map((name) => `${file}: ${name} → ${IDENTIFIERS[name]}`),
  );

  expect([...new Set(found)]).toEqual([]);
});

test('no file name in operator/ uses a word that has a better, established term', () => {
  expect(files.filter((file) => FILE_NAMES.test(basename(file, '.ts')))).toEqual([]);
});

test.each([
  ['const news = 1;', ['news']],
  ['function takeIn(Turn: string, { a: look }: A) {}', ['takeIn', 'Turn', 'look']],
  [
    'class Hold { #news = 1; giveUp() {} get look() { return 1; } }',
    ['Hold', 'news', 'giveUp', 'look'],
  ],
  ['interface Access { readonly hold?: string; deprive(): void }', ['Access', 'hold', 'deprive']],
  ['type Position = 1; enum Turn { A }', ['Position', 'Turn', 'A']],
  [
    'const { x: [look, ...news] = [] } = f; const g = (hold = 1) => hold;',
    ['look', 'news', 'g', 'hold'],
  ],
  ["look('hold'); value.news = Turn;", []],
])('declaredNames finds every identifier that is declared in: %s', (source, names) => {
  expect(declaredNames(source)).toEqual(names);
});
