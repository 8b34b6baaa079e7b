import { relative } from 'node:path';
import { ConfigurationError } from '../../core/errors.ts';
import type { FlightRecord } from '../read-record.ts';
import { RECORD_VERSION, type RecordLine } from '../record-line.ts';

/** A line of an incident, in the format in which a test contains it. */
export type IncidentLine = RecordLine;

interface TestTextOptions {
  readonly incident: FlightRecord;
  readonly key: string;
  /** The path from which the test imports the module. */
  readonly module: string;
  /** The arguments of the module's function `create`. Undefined for a module without arguments. */
  readonly args: readonly string[] | undefined;
  /** A line of code that checks for the fault. The check succeeds when the fault is fixed. */
  readonly expectation: string;
}

/** A test for Vitest that fails as long as the operator ends in the same state as in the record. */
export function testText({ incident, key, module, args, expectation }: TestTextOptions): string {
  const { header, lines } = incident;
  const day = header.began.slice(0, 10);
  const controllers =
    args === undefined
      ? '[operator].flat()'
      : `(await operator.create({ args: ${JSON.stringify(args)}, environment: {} })).controllers ?? []`;
  return `/**
 * Made by "chancery replay --to-test" from a record of ${header.began}: what happened to ${key}, as it was recorded. Values
 * of Secrets are placeholders; read the rest before you hand it on.
 */
${imported('{ replayIncident }', '@chancery/testing')}
${imported('{ expect, it }', 'vitest')}
${imported('operator', module)}

it(${JSON.stringify(`does not end as on ${day} for ${key}`)}, async () => {
  const controllers = ${controllers};
  const end = await replayIncident(INCIDENT, { controllers, key: ${JSON.stringify(key)} });

  // This passes as soon as the end differs from the recorded one. Replace it with the right end.
  ${expectation}
});

const INCIDENT: Parameters<typeof replayIncident>[0] = [
${[header, ...lines].map((line) => `  ${JSON.stringify(line)},`).join('\n')}
];
`;
}

/**
 * Turns the lines in a test into a record.
 *
 * @throws ConfigurationError `CONFIG` for lines of another version, and for lines without a header.
 */
export function incidentRecord([header, ...lines]: readonly IncidentLine[]): FlightRecord {
  if (header?.kind !== 'header') throw new ConfigurationError('the incident has no header');
  if (header.version !== RECORD_VERSION) {
    throw new ConfigurationError(
      `the incident has version ${header.version}, and this toolkit replays version ${RECORD_VERSION}`,
    );
  }
  return { header, lines, unknownLines: 0 };
}

function imported(names: string, from: string): string {
  return `import ${names} from ${JSON.stringify(from)};`;
}

/** The path by which a file in `folder` imports `module`. */
export function importPath(folder: string, module: string): string {
  const path = relative(folder, module).replaceAll('\\', '/');
  return path.startsWith('.') ? path : `./${path}`;
}
