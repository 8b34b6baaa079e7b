import type { Caller } from '../auth/user.ts';
import { type FieldError, invalidOptions } from '../failures/invalid.ts';
import type { Json } from '../objects/metadata.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The options of a write. */
export interface WriteOptions {
  /** The field manager: the parameter `fieldManager`, or the name of the program in the User-Agent. */
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly subresource?: string | undefined;
  /** The sender of the write; absent for the server's own writes, which are always allowed. */
  readonly caller?: Caller | undefined;
  /** Receives the text of each Warning header. */
  readonly warn: (text: string) => void;
  /** Receives each audit annotation. */
  readonly annotate: (key: string, value: string) => void;
  /** The options as the request contains them, without defaults. */
  readonly sent: Json;
}

/** The options that only a PATCH has, in addition to the options of every write. */
export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
  /**
   * The parameter `fieldManager`, without the default from the User-Agent that other writes use.
   */
  readonly fieldManager: string;
}

/** The options of a write from inside the server. */
export function internalWrite(manager: string, subresource?: string): WriteOptions {
  const fieldValidation = 'Ignore';
  const silent = { warn: () => {}, annotate: () => {}, sent: {} };
  return { manager, dryRun: false, fieldValidation, subresource, ...silent };
}

type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/**
 * Whether the request is a dry run.
 * @throws ApiError 422 for unknown values.
 */
export function parseDryRun(values: readonly string[], kind: WriteKind): boolean {
  if (values.length === 0) return false;
  if (values.every((value) => value === 'All')) return true;
  const list = `[${values.map((value) => JSON.stringify(value)).join(',')}]`;
  throw invalidOptions(kind, [
    {
      field: 'dryRun',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${list}: supported values: "All"`,
    },
  ]);
}

const FIELD_VALIDATIONS: readonly string[] = ['Ignore', 'Warn', 'Strict'];

export function parseWriteOptions(
  query: URLSearchParams,
  userAgent: string,
  kind: Exclude<WriteKind, 'DeleteOptions'>,
): Omit<WriteOptions, 'subresource' | 'caller' | 'warn' | 'annotate'> {
  const dryRun = parseDryRun(
    query.getAll('dryRun').filter((value) => value !== ''),
    kind,
  );
  const fieldValidation = query.get('fieldValidation') || 'Warn';
  const problems: FieldError[] = [];
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    problems.push({
      field: 'fieldValidation',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(fieldValidation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    });
  }
  if (problems.length > 0) throw invalidOptions(kind, problems);
  const manager = query.get('fieldManager') || managerOf(userAgent);
  const sent = sentOptions(dryRun, query);
  return { manager, dryRun, fieldValidation: fieldValidation as FieldValidation, sent };
}

function sentOptions(dryRun: boolean, query: URLSearchParams): Json {
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  return {
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
}

/** The default field manager: the name before the version in a User-Agent, at most 128 bytes. */
function managerOf(userAgent: string): string {
  return (userAgent.split('/', 1)[0] ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, 128);
}
