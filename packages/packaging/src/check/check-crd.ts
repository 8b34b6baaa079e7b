import { ConfigurationError, messageOf } from 'chancery';
import {
  type CHECK,
  type CheckedDefinition,
  checkedDefinition,
  type ExitCode,
  type GivenTo,
  type Io,
  isDefinition,
  LineWriter,
  listItems,
  type ManifestDocument,
  manifestItems,
  readManifests,
  visibleJson,
  visibleText,
} from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';
import { type CrdFinding, crdChanges } from '../crd-check/crd-changes.ts';
import { type Migration, migrationOf } from '../crd-check/migrations.ts';

/** The state of a definition: the new and the old definition were compared, or only one of them exists. */
type State = 'compared' | 'new' | 'absent';

/**
 * `chancery check crd`: reports changes of definitions that are not safe.
 *
 * @throws ConfigurationError `CONFIG` when the command line is wrong, or when a file cannot be read
 * or compared.
 */
export async function checkCrd(
  { values: { output, against }, words }: GivenTo<typeof CHECK>,
  io: Io,
): Promise<ExitCode> {
  if (words.length === 0 || against.length === 0) {
    throw new ConfigurationError('expected NEW --against OLD, with files, folders or "-"');
  }
  if ([...words, ...against].filter((path) => path === '-').length > 1) {
    throw new ConfigurationError('only one of NEW and OLD can be "-", the standard input');
  }
  const after = definitionsIn(await readManifests(words, io.stdin, ''), 'NEW');
  const before = definitionsIn(await readManifests(against, io.stdin, '--against '), 'OLD');
  const findings = [...after.values()].flatMap((now) => {
    const old = before.get(now.name);
    return old === undefined ? [] : crdChanges(old, now);
  });
  const migrations = [...after.values()].flatMap((now) => {
    const old = before.get(now.name);
    return (old && migrationOf(old, now)) ?? [];
  });
  const states = statesOf(before, after);
  using lines = new LineWriter(io.stdout, io.signal);
  await lines.write(
    output === 'json'
      ? [visibleJson(JSON.stringify(jsonReport(findings, migrations, states), undefined, 2))]
      : findings.map(findingLine),
  );
  for (const migration of migrations) io.stderr.write(visibleText(migrationText(migration)));
  report(findings, states, io);
  return findings.length === 0 ? 0 : 1;
}

/**
 * The definitions in manifests. Other objects are skipped, because an installer contains
 * definitions together with other objects.
 *
 * @throws ConfigurationError `CONFIG` when there is no definition. An empty List is accepted,
 * because a cluster may have no definitions.
 */
function definitionsIn(
  documents: readonly ManifestDocument[],
  what: 'NEW' | 'OLD',
): ReadonlyMap<string, CheckedDefinition> {
  const definitions = new Map<string, CheckedDefinition>();
  for (const { file, value } of documents.flatMap(manifestItems)) {
    if (!isDefinition(value)) continue;
    const definition = inFile(file, () => checkedDefinition(value));
    if (definitions.has(definition.name)) {
      throw new ConfigurationError(`${file}: ${what} has ${definition.name} twice`);
    }
    definitions.set(definition.name, definition);
  }
  const isEmptyList =
    what === 'OLD' && documents.some(({ value }) => listItems(value) !== undefined);
  if (definitions.size > 0 || isEmptyList) return definitions;
  throw new ConfigurationError(`${what} has no CustomResourceDefinition`);
}

function inFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

function statesOf(
  before: ReadonlyMap<string, CheckedDefinition>,
  after: ReadonlyMap<string, CheckedDefinition>,
): readonly { readonly name: string; readonly state: State }[] {
  return [...new Set([...after.keys(), ...before.keys()])].sort().map((name) => {
    if (!after.has(name)) return { name, state: 'absent' };
    return { name, state: before.has(name) ? 'compared' : 'new' };
  });
}

function findingLine({ definition, version, path, rule, message }: CrdFinding): string {
  const where = version === undefined ? definition : `${definition} ${version}`;
  return visibleText(`${where}: ${path}: ${rule}: ${message}`.replaceAll(/[\n\t]/g, ' '));
}

/** Instructions for an administrator after the upgrade, with the whole manifest. */
function migrationText({ definition, from, to, manifest }: Migration): string {
  return [
    `chancery check crd: ${definition} stores objects as ${to} from now on, and has stored ${from.join(', ')}`,
    `after the upgrade run: chancery migrate ${definition}`,
    'or apply this (storagemigration.k8s.io/v1beta1 before Kubernetes 1.37):',
    formatYaml(manifest),
  ].join('\n');
}

function jsonReport(
  findings: readonly CrdFinding[],
  migrations: readonly Migration[],
  definitions: ReturnType<typeof statesOf>,
): object {
  return {
    safe: findings.length === 0,
    definitions,
    findings: findings.map((each) => ({ ...each, version: each.version ?? null })),
    migrations,
  };
}

/** Reports one line about all definitions, and one line per definition that was not compared. */
function report(
  findings: readonly CrdFinding[],
  states: ReturnType<typeof statesOf>,
  { stderr }: Io,
): void {
  for (const { name, state } of states) {
    if (state === 'compared') continue;
    const why =
      state === 'new' ? 'only in NEW, so nothing can break' : 'only in OLD, and was not compared';
    stderr.write(visibleText(`chancery check crd: ${name} is ${why}\n`));
  }
  const compared = states.filter(({ state }) => state === 'compared').length;
  const count = findings.length === 1 ? '1 unsafe change' : `${findings.length} unsafe changes`;
  const of = compared === 1 ? '1 definition' : `${compared} definitions`;
  stderr.write(`chancery check crd: ${count} in ${of}\n`);
}
