import type { ExcessAccessRule } from '../../access/excess-rules.ts';
import {
  type MissingAccessRule,
  missingRules,
  needsText,
  ruleYaml,
} from '../../access/missing-access.ts';
import { type Connection, connect } from '../../client/connection.ts';
import {
  FILTER_SHUT,
  type FilterVerdict,
  filterOpen,
  testFilter,
} from '../../client/filter-test.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { boundedText, visibleJson, visibleText } from '../../core/text/visible-text.ts';
import { type AccessReport, checkAccess } from '../../manager/safety/access-check.ts';
import { findVisibleToken, TOKEN_FOLDERS } from '../../manager/safety/visible-token.ts';
import { placementOf } from '../../manager/settings/connect-options.ts';
import { overridden, type Settings, settingsFrom } from '../../manager/settings/settings.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { type Declaring, declaringOf } from '../declarations/declaring.ts';
import { type Declarations, loadDeclarations } from '../declarations/load-declarations.ts';
import { withHooksDefaults } from '../hooks/settings-defaults.ts';
import { LineWriter } from '../line-writer.ts';
import { loadPackage } from '../loading/load-package.ts';
import { type SharedWork, sharedWork, sharedWorkText } from './shared-work.ts';
import type { CHECK } from './table.ts';

export interface CheckCommandOptions {
  readonly clock?: Clock;
  /**
   * Folders where Kubernetes mounts a ServiceAccount token. The operator must not find a token in
   * them.
   */
  readonly tokenFolders?: readonly string[];
}

/**
 * `chancery check`: reports declared rights that are not granted, and whether the filter and the
 * token are safe.
 */
export async function runCheck(
  given: GivenTo<typeof CHECK>,
  io: Io,
  { clock = systemClock, tokenFolders = TOKEN_FOLDERS }: CheckCommandOptions = {},
): Promise<ExitCode> {
  const { kind } = given;
  if (kind === 'MODULE') return checkRights(given, io, { clock, tokenFolders });
  const packaging = await loadPackage('@chancery/packaging/command', `check ${kind}`);
  return kind === 'bundle' ? packaging.checkBundle(given, io) : packaging.checkCrd(given, io);
}

async function checkRights(
  { values, words, rest }: GivenTo<typeof CHECK>,
  io: Io,
  { clock, tokenFolders }: Required<CheckCommandOptions>,
): Promise<ExitCode> {
  const { output, excess } = values;
  const declaring = declaringOf(values, words, rest);
  const fromEnvironment = settingsOf(values, declaring, io.env);
  const token = await findVisibleToken(tokenFolders);
  const declared = await loadDeclarations(declaring, 'check', io);
  const { insecureAllowToken } = fromEnvironment;
  const settings = overridden(fromEnvironment, {
    ...declared.settings,
    ...(values.namespaces !== undefined && { namespaces: fromEnvironment.namespaces }),
    insecureAllowToken,
  });
  const connection = connect(values.server ?? settings.apiUrl, { clock });
  try {
    const filter = await testFilter(connection.transport, { clock, signal: io.signal });
    const isShut = filter.state === 'shut';
    const access = isShut
      ? undefined
      : await accessOf(declared, { connection, settings, signal: io.signal });
    const sharding = await sharedWork(declared, settings, {
      client: isShut ? undefined : connection.clientFor('chancery-check'),
      ...{ clock, signal: io.signal },
    });
    if (access?.incomplete !== undefined) {
      const why = visibleText(boundedText(access.incomplete));
      io.stderr.write(
        `chancery check: the API server cannot list all rules (${why}), so each ` +
          'right was checked on its own\n',
      );
    }
    const findings = { filter, token, tokenAllowed: settings.insecureAllowToken, access, sharding };
    using lines = new LineWriter(io.stdout, io.signal);
    await lines.write(
      output === 'json'
        ? [visibleJson(JSON.stringify(jsonReport(findings, { excess }), undefined, 2))]
        : textReport(findings, { excess }).map(visibleText),
    );
    return isSound(findings) ? 0 : 1;
  } catch (error) {
    if (io.signal.aborted) return 1;
    throw error;
  } finally {
    await connection.close();
  }
}

function settingsOf(
  { namespaces, shards }: Pick<GivenTo<typeof CHECK>['values'], 'namespaces' | 'shards'>,
  { from }: Pick<Declaring, 'from'>,
  inherited: Io['env'],
): Settings {
  const given = { ...inherited, ...(shards !== undefined && { CHANCERY_SHARDS: String(shards) }) };
  const env = from === 'modules' ? given : withHooksDefaults(given);
  if (namespaces === undefined) return settingsFrom(env);
  if (namespaces.trim() === '') throw new ConfigurationError('--namespaces must name one, or "*"');
  try {
    return settingsFrom({ ...env, WATCH_NAMESPACE: namespaces });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const message = messageOf(error).replace('WATCH_NAMESPACE', '--namespaces');
    throw new ConfigurationError(message, { cause: error });
  }
}

function accessOf(
  { declared, electing }: Declarations,
  surroundings: {
    readonly connection: Connection;
    readonly settings: Settings;
    readonly signal: AbortSignal;
  },
): Promise<AccessReport> {
  const { connection, settings, signal } = surroundings;
  return checkAccess({
    client: connection.clientFor('chancery-check'),
    declarations: declared,
    placement: placementOf(settings, electing),
    signal,
  });
}

/** The findings of `chancery check`. */
interface Findings {
  readonly filter: FilterVerdict;
  /** The path of a token that the operator can read. Undefined when it can read none. */
  readonly token: string | undefined;
  readonly tokenAllowed: boolean;
  /**
   * The result of checking the rights. Undefined when they were not checked, because the filter
   * allows no request.
   */
  readonly access: AccessReport | undefined;
  /** How replicas share the work. Undefined unless they share it. */
  readonly sharding?: SharedWork | undefined;
}

/**
 * True when the filter is closed, all rights are granted, and the operator can read no token or is
 * allowed to read one.
 */
export function isSound({ filter, token, tokenAllowed, access }: Findings): boolean {
  return (
    filter.state === 'closed' &&
    (token === undefined || tokenAllowed) &&
    access !== undefined &&
    access.missing.rights.length === 0 &&
    access.missing.paths.length === 0
  );
}

/** The findings as lines of text, for people. */
export function textReport(findings: Findings, options: { readonly excess: boolean }): string[] {
  const { token, tokenAllowed, access, sharding } = findings;
  const rules = access === undefined ? [] : missingRules(access.missing);
  const allowed = tokenAllowed ? ', and allowed' : '';
  return [
    `filter: ${filterText(findings.filter)}`,
    `token: ${token === undefined ? 'none is visible' : `visible at ${token}${allowed}`}`,
    ...(sharding === undefined ? [] : [`sharding: ${sharedWorkText(sharding)}`]),
    `rights: ${access === undefined ? 'not asked' : rightsText(rules)}`,
    ...rules.flatMap(missingLines),
    ...(options.excess && access !== undefined ? excessLines(access.excess) : []),
  ];
}

/** The findings as one JSON document, for programs. */
export function jsonReport(findings: Findings, options: { readonly excess: boolean }): object {
  const { filter, token, access, sharding } = findings;
  return {
    ok: isSound(findings),
    filter,
    token: token ?? null,
    ...(sharding !== undefined && {
      sharding: { ...sharding, replicas: sharding.replicas ?? null },
    }),
    ...(access !== undefined && {
      missing: access.missing.rights.map(({ resource, ...right }) => ({
        verb: right.verb,
        group: resource.group,
        resource: resource.plural,
        subresource: right.subresource ?? null,
        name: right.name ?? null,
        namespace: right.namespace ?? null,
        neededBy: right.neededBy,
      })),
      missingPaths: access.missing.paths,
      rules: missingRules(access.missing).map(({ kind, namespace, rule }) => ({
        kind,
        namespace: namespace ?? null,
        rule,
      })),
      incomplete: access.incomplete ?? null,
      ...(options.excess && {
        excess: access.excess.map((each) => ({ ...each, namespace: each.namespace ?? null })),
      }),
    }),
  };
}

function filterText(verdict: FilterVerdict): string {
  switch (verdict.state) {
    case 'closed':
      return 'closed, it refuses what it must refuse';
    case 'shut':
      return `shut: ${FILTER_SHUT}`;
    case 'open':
      return filterOpen(verdict.missing).message.replace(/^the ambassador's filter is /, '');
    case 'undecided':
      return `unknown: ${verdict.why}`;
  }
}

function rightsText(rules: readonly MissingAccessRule[]): string {
  if (rules.length === 0) return 'every declared right is granted';
  return `${rules.length} ${rules.length === 1 ? 'rule is' : 'rules are'} missing`;
}

function missingLines({ kind, namespace, rule, text, neededBy }: MissingAccessRule): string[] {
  const place = namespace === undefined ? `a ${kind}` : `a ${kind} in namespace ${namespace}`;
  return [
    '',
    `missing: ${text}`,
    `  for: ${needsText(neededBy)}`,
    `  add to ${place}:`,
    `    - ${ruleYaml(rule)}`,
  ];
}

/** The kinds of rights that are granted but not declared, worst first. */
const KINDS = ['wildcard', 'escalation', 'secrets', 'undeclared'] as const;

function excessLines(excess: readonly ExcessAccessRule[]): string[] {
  if (excess.length === 0) return ['', 'beyond the declarations: nothing that is listed'];
  const sorted = KINDS.flatMap((kind) => excess.filter((each) => each.kind === kind));
  return [
    '',
    'beyond the declarations:',
    ...sorted.map(({ namespace, rule, kind }) => {
      const place = namespace === undefined ? 'everywhere' : `in namespace ${namespace}`;
      return `  ${kind}, ${place}: ${ruleYaml(rule)}`;
    }),
  ];
}
