import type { Caller } from '../auth/user.ts';
import { type FieldError, invalidOptions } from '../failures/invalid.ts';
import type { Json } from '../objects/metadata.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** How a write is to be carried out. */
export interface WriteOptions {
  /** Whose fields these are: `fieldManager`, or the program of the User-Agent. */
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly subresource?: string | undefined;
  /** Whose write it is; absent for those of the server itself, which may do everything. */
  readonly caller?: Caller | undefined;
  /** Takes the text of each Warning header. */
  readonly warn: (text: string) => void;
  /** The options of the request, without those that it left out. */
  readonly sent: Json;
}

/** Options of a PATCH beside those of every write. */
export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
  /** `fieldManager` itself, without the default that other writes take from the User-Agent. */
  readonly fieldManager: string;
}

/** Options of a write that comes from inside the server. */
export function internalWrite(manager: string, subresource?: string): WriteOptions {
  const silent = { warn: () => {}, sent: {} };
  return { manager, dryRun: false, fieldValidation: 'Ignore', subresource, ...silent };
}

type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** @throws ApiError 422 for values that the server does not know. */
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
): Omit<WriteOptions, 'subresource' | 'caller' | 'warn'> {
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

/** The name before the version in a User-Agent, at most 128 bytes: the default field manager. */
function managerOf(userAgent: string): string {
  return (userAgent.split('/', 1)[0] ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, 128);
}
