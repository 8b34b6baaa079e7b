import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What became of one test of a peer. */
export interface Outcome {
  /** As the peer names it. */
  readonly name: string;
  readonly passed: boolean;
  /** The last lines of what it said; '' when it passed. */
  readonly output: string;
}

/** What a suite runs with. */
export interface SuiteRun {
  /** The folder of the snapshot. Nothing is written into it. */
  readonly snapshot: string;
  /** A folder of this run, which is removed after it. */
  readonly scratch: string;
  /** Only these tests; empty for all. */
  readonly only: readonly string[];
  /** The kubectl to use, for suites that need one. */
  readonly kubectl: string;
  /** A server that is already there, in place of an embedded one for each test. */
  readonly server?: RunningServer;
  /** Called for each test when it has ended. */
  readonly tell: (outcome: Outcome) => void;
}

export interface RunningServer {
  readonly url: string;
  readonly token: string;
}

/** Tests of another project that need an API server. */
export interface Suite {
  readonly name: string;
  /** Whose tests they are, in a few words. */
  readonly title: string;
  /** What `git clone` takes. */
  readonly repository: string;
  /** Name of the snapshot's folder in `PEERS`. */
  readonly folder: string;
  /** What must be done in a clone before its tests can run, as a command; undefined for nothing. */
  readonly prepare?: string;
  readonly usesKubectl?: boolean;
  /** The program under the tests, whose version is the snapshot's; undefined for kubectl, whichever is given. */
  readonly client?: string;
  /** Tests that are not run, with what they need that a test server has not. */
  readonly outside: Readonly<Record<string, string>>;
  /** Tests that run and fail, with the reason. */
  readonly failing: Readonly<Record<string, string>>;
  /** Undefined for a suite that nothing can run here: `notRun` says why. */
  readonly run?: (run: SuiteRun) => Promise<void>;
  readonly notRun?: string;
  /** What of it other tests of this repository run: whole sentences of the page, with links from `docs/`. */
  readonly elsewhere?: string;
}

/** The result of a suite. */
export interface Verdict {
  readonly passed: readonly string[];
  /** They fail as `failing` says. */
  readonly known: readonly string[];
  /** They fail, and nothing says why. */
  readonly unexplained: readonly string[];
  /** They pass, though `failing` names them. */
  readonly mended: readonly string[];
}

/** Holds what a suite did against what is known of it. */
export function judge(
  outcomes: readonly Outcome[],
  failing: Readonly<Record<string, string>>,
): Verdict {
  const names = (wanted: (outcome: Outcome) => boolean): readonly string[] =>
    outcomes.filter(wanted).map(({ name }) => name);
  const isKnown = ({ name }: Outcome): boolean => Object.hasOwn(failing, name);
  return {
    passed: names(({ passed }) => passed),
    known: names((outcome) => !outcome.passed && isKnown(outcome)),
    unexplained: names((outcome) => !outcome.passed && !isKnown(outcome)),
    mended: names((outcome) => outcome.passed && isKnown(outcome)),
  };
}

/** How many digits of a commit tell it from others. */
const DIGITS = 12;

/**
 * The program that speaks to the server and its version, for the table: `kopf 1.44.6`, or `kopf 60d02aefb11c` for a
 * snapshot of no release.
 *
 * @param commit - see {@link commitOf}.
 * @param kubectl - the version of the kubectl of this run, for suites that test kubectl.
 */
export function programOf(
  { client }: Pick<Suite, 'client'>,
  commit: string,
  kubectl: string,
): string {
  if (client === undefined) return `kubectl ${kubectl}`;
  return `${client} ${/^[0-9a-f]{40}$/.test(commit) ? commit.slice(0, DIGITS) : commit}`;
}

/**
 * What a snapshot was made from: the commit of a clone, or the line in the file `.commit` of a folder without `.git`.
 *
 * @throws TypeError when neither is there: a result without it could not be repeated.
 */
export function commitOf(snapshot: string): string {
  const read = (...names: readonly string[]): string | undefined => {
    try {
      return readFileSync(join(snapshot, ...names), 'utf8').trim();
    } catch {
      return undefined;
    }
  };
  const head = read('.git', 'HEAD') ?? read('.commit');
  const [, ref] = /^ref: (.+)$/.exec(head ?? '') ?? [];
  const commit =
    ref === undefined ? head : (read('.git', ref) ?? packed(read('.git', 'packed-refs'), ref));
  if (commit === undefined || commit === '') {
    throw new TypeError(
      `${snapshot} is no git clone: write the commit or tag that it was made from into ${join(snapshot, '.commit')}`,
    );
  }
  return commit;
}

function packed(refs: string | undefined, ref: string): string | undefined {
  const line = refs?.split('\n').find((text) => text.endsWith(` ${ref}`));
  return line?.split(' ')[0];
}
