import { type FieldError, invalidOptions } from '../failures/invalid.ts';
import { flag, integer } from '../objects/go-query.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { parseDryRun } from './options.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export interface DeletionOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
  /** The options as the request contains them, without defaults. */
  readonly sent: Json;
}

export const DEFAULT_DELETION: DeletionOptions = {
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  uid: undefined,
  resourceVersion: undefined,
  dryRun: false,
  sent: {},
};

const POLICIES: readonly unknown[] = ['Foreground', 'Background', 'Orphan'];

/**
 * Parses the options of a delete request. They are in its body or, if it has no body, in the query.
 *
 * @throws ApiError 422 for an unknown policy or dryRun.
 */
export function parseDeletionOptions(query: URLSearchParams, body: unknown): DeletionOptions {
  const options = isObject(body) ? fromBody(body) : fromQuery(query);
  return { ...options, sent: isObject(body) ? sentInBody(body) : sentInQuery(query, options) };
}

type Parsed = Omit<DeletionOptions, 'sent'>;

function sentInBody({ kind: _, apiVersion: __, ...options }: Json): Json {
  return options;
}

function sentInQuery(query: URLSearchParams, { gracePeriodSeconds, dryRun }: Parsed): Json {
  const propagationPolicy = query.get('propagationPolicy');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(query.has('orphanDependents') ? { orphanDependents: flag(query, 'orphanDependents') } : {}),
    ...(propagationPolicy ? { propagationPolicy } : {}),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  };
}

function fromQuery(query: URLSearchParams): Parsed {
  const orphan = query.has('orphanDependents') ? flag(query, 'orphanDependents') : undefined;
  return {
    gracePeriodSeconds: integer(query, 'gracePeriodSeconds'),
    propagationPolicy: policyOf(query.get('propagationPolicy'), orphan),
    uid: undefined,
    resourceVersion: undefined,
    dryRun: parseDryRun(query.getAll('dryRun'), 'DeleteOptions'),
  };
}

function fromBody(body: Json): Parsed {
  const preconditions = isObject(body.preconditions) ? body.preconditions : {};
  const { gracePeriodSeconds, orphanDependents: orphan } = body;
  const dryRun = Array.isArray(body.dryRun) ? body.dryRun.map(String) : [];
  return {
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    propagationPolicy: policyOf(
      body.propagationPolicy,
      typeof orphan === 'boolean' ? orphan : undefined,
    ),
    uid: text(preconditions.uid),
    resourceVersion: text(preconditions.resourceVersion),
    dryRun: parseDryRun(dryRun, 'DeleteOptions'),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function policyOf(value: unknown, orphan: boolean | undefined): PropagationPolicy | undefined {
  if (orphan !== undefined && value) throw bothSet(value);
  if (value === undefined || value === null || value === '') {
    if (orphan === undefined) return undefined;
    return orphan ? 'Orphan' : 'Background';
  }
  if (POLICIES.includes(value)) return value as PropagationPolicy;
  const problem: FieldError = {
    field: 'propagationPolicy',
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
  };
  throw invalidOptions('DeleteOptions', [problem]);
}

/** The error when both the older and the newer field of the same option are set. */
function bothSet(value: unknown): Error {
  const problem: FieldError = {
    field: 'propagationPolicy',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: orphanDependents and deletionPropagation cannot be both set`,
  };
  return invalidOptions('DeleteOptions', [problem]);
}
