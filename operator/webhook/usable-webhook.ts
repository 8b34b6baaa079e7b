import {
  type NamesOf,
  requireFunction,
  requireNames,
  requireWord,
} from '../controller/known-options.ts';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { isDns1035Label, isDnsLabel, isDnsSubdomain } from '../model/dns-name.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { isLabelKey, selectorFromObject } from '../model/selector.ts';
import type { AdmissionOperation } from './review/admission-request.ts';
import type {
  MatchCondition,
  MutatingWebhookOptions,
  ValidatingWebhookOptions,
  WebhookOptions,
  WebhookSubject,
} from './webhook-options.ts';

type Validating = ValidatingWebhookOptions<KubernetesObject>;
type Mutating = MutatingWebhookOptions<KubernetesObject>;

/** The options of a webhook, from a module or from a hook. */
interface Declarable
  extends Omit<WebhookOptions<KubernetesObject>, 'resource' | 'subresource' | 'operations'> {
  readonly type: 'validating' | 'mutating';
  readonly subjects: readonly WebhookSubject[];
  readonly reinvocationPolicy?: Mutating['reinvocationPolicy'] | undefined;
}

const OPTIONS = {
  name: true,
  resource: true,
  subresource: true,
  operations: true,
  reads: true,
  failurePolicy: true,
  namespaceSelector: true,
  objectSelector: true,
  matchConditions: true,
  timeoutSeconds: true,
  whileDeleting: true,
} as const;
const KNOWN = {
  validating: { ...OPTIONS, validate: true } satisfies NamesOf<Validating>,
  mutating: { ...OPTIONS, mutate: true, reinvocationPolicy: true } satisfies NamesOf<Mutating>,
} as const;
const OPERATIONS = { CREATE: true, UPDATE: true, DELETE: true, CONNECT: true } as const;
const FAILURE_POLICIES = { Fail: true, Ignore: true } as const;
const REINVOCATION_POLICIES = { Never: true, IfNeeded: true } as const;

/**
 * Maximum number of conditions in a declaration. The API server accepts 64 conditions, but one of them is
 * reserved for objects that are being deleted.
 */
const MAX_CONDITIONS = 63;

/** The name of the condition that every declaration adds by itself. */
export const DELETING_CONDITION = 'not-being-deleted';

/** The API server's limits for the time-out, in seconds. */
const TIMEOUT_SECONDS = { min: 1, max: 30 };

/**
 * Checks the names of the options, and that the handler is a function.
 *
 * @throws ConfigurationError `CONFIG` for the first invalid option.
 */
export function requireUsable(
  type: 'validating' | 'mutating',
  options: { readonly name: string },
  handle: unknown,
): void {
  const { name } = options;
  requireName(type, name);
  const of = `${type} webhook ${name}`;
  requireNames(of, options, KNOWN[type]);
  const verb = type === 'validating' ? 'validate' : 'mutate';
  requireFunction(of, verb, handle, `${verb}: (request, context) => …`);
}

/**
 * Checks everything that the compiler cannot check. For callers that do not use TypeScript, it also checks
 * that options have one of the allowed words.
 *
 * @throws ConfigurationError `CONFIG` for the first option that a webhook configuration cannot
 * contain.
 */
export function requireDeclarable(all: Declarable): void {
  const { type, name, subjects } = all;
  requireName(type, name);
  const of = `${type} webhook ${name}`;
  for (const subject of subjects) requireSubject(of, subject);
  requireWord(of, 'failurePolicy', all.failurePolicy ?? 'Ignore', FAILURE_POLICIES);
  requireWord(of, 'reinvocationPolicy', all.reinvocationPolicy ?? 'Never', REINVOCATION_POLICIES);
  requireSelector(of, 'namespaceSelector', all.namespaceSelector);
  requireSelector(of, 'objectSelector', all.objectSelector);
  requireConditions(of, all.matchConditions ?? []);
  const { timeoutSeconds = 10 } = all;
  const { min, max } = TIMEOUT_SECONDS;
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < min || timeoutSeconds > max) {
    throw new ConfigurationError(
      `timeoutSeconds of ${of} must be a whole number from ${min} to ${max}, not ${timeoutSeconds}`,
    );
  }
}

function requireName(type: string, name: string): void {
  if (typeof name !== 'string' || !isDnsSubdomain(name) || name.split('.').length < 3) {
    throw new ConfigurationError(
      `the name of a ${type} webhook must be at least three lower-case words joined by dots, such as ` +
        `names.websites.example.com; got ${JSON.stringify(name)}`,
    );
  }
}

function requireSubject(of: string, { resource, subresource, operations }: WebhookSubject): void {
  requireResource(of, resource, subresource);
  requireOperations(of, operations, subresource);
}

function requireResource(of: string, resource: Resource, subresource: string | undefined): void {
  const { group, version, plural } = resource ?? {};
  if (typeof plural !== 'string') {
    throw new ConfigurationError(`resource of ${of} must be a resource, such as configMaps`);
  }
  if ([group, version, plural, subresource].some((part) => part?.includes('*'))) {
    throw new ConfigurationError(
      `${of} has a wildcard: it would be asked about kinds that the cluster needs to recover; declare a webhook ` +
        'for each resource',
    );
  }
  const isUsable =
    (group === '' || isDnsSubdomain(group)) && isDnsLabel(version) && isDns1035Label(plural);
  if (!isUsable || (subresource !== undefined && !isDnsLabel(subresource))) {
    const name = resourceName(resource);
    throw new ConfigurationError(
      `${of} names no resource: ${JSON.stringify(name)} of version ${JSON.stringify(version)}` +
        `${subresource === undefined ? '' : `, subresource ${JSON.stringify(subresource)}`}`,
    );
  }
  if (group === 'admissionregistration.k8s.io') {
    throw new ConfigurationError(
      `${of} is for ${resourceName(resource)}: the API server asks no webhook about it, so that a broken one can be ` +
        'removed',
    );
  }
  if (group === 'coordination.k8s.io' && plural === 'leases') {
    throw new ConfigurationError(
      `${of} is for Leases: nodes and leaders renew theirs every few seconds, and the cluster stops without them`,
    );
  }
}

function requireOperations(
  of: string,
  operations: readonly AdmissionOperation[],
  subresource: string | undefined,
): void {
  for (const operation of operations) requireWord(of, 'operation', operation, OPERATIONS);
  if (operations.length === 0 || new Set(operations).size !== operations.length) {
    throw new ConfigurationError(
      `operations of ${of} must name each operation once, such as CREATE`,
    );
  }
  if (operations.includes('CONNECT') && subresource === undefined) {
    throw new ConfigurationError(
      `${of} has the operation CONNECT, which only subresources have: add one, such as subresource: 'exec'`,
    );
  }
}

function requireSelector(of: string, what: string, selector: object | undefined): void {
  if (selector === undefined) return;
  try {
    requireNames(`${what} of ${of}`, selector, { matchLabels: true, matchExpressions: true });
    selectorFromObject(selector);
  } catch (error) {
    throw new ConfigurationError(`${what} of ${of} is unusable: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function requireConditions(of: string, conditions: readonly MatchCondition[]): void {
  if (conditions.length > MAX_CONDITIONS) {
    throw new ConfigurationError(
      `${of} has ${conditions.length} matchConditions; at most ${MAX_CONDITIONS}: join some with &&`,
    );
  }
  const names = new Set([DELETING_CONDITION]);
  for (const { name, expression } of conditions) {
    if (typeof name !== 'string' || !isLabelKey(name) || names.has(name)) {
      throw new ConfigurationError(
        `a matchCondition of ${of} is named ${JSON.stringify(name)}: give each another name, of letters, digits, ` +
          `"-", "_" and ".", and not ${DELETING_CONDITION}`,
      );
    }
    if (typeof expression !== 'string' || expression.trim() === '') {
      throw new ConfigurationError(`matchCondition ${name} of ${of} has no expression of CEL`);
    }
    names.add(name);
  }
}
