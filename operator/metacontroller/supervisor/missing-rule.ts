import { OperatorError } from '../../core/errors.ts';
import type { Resource } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';

/** The API server's sentence about a right that is missing. */
const REFUSED = /cannot (?<verb>[a-z]+) resource "(?<resource>[^"]+)" in API group "(?<group>[^"]*)"/;

/** The rule that lets a source be watched, as a role has it. */
export function watchRule({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return ruleText(group, plural, ['get', 'list', 'watch']);
}

/** The rule whose absence made the API server refuse a request. Undefined for every other error. */
export function missingRule(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof OperatorError && depth < 5; depth++) {
    if (cause instanceof ApiError && cause.status === 403) {
      const { verb, resource, group } = REFUSED.exec(cause.message)?.groups ?? {};
      if (verb !== undefined && resource !== undefined && group !== undefined) {
        return ruleText(group, resource, [verb]);
      }
    }
    cause = cause.cause;
  }
  return undefined;
}

/** As in a manifest: `{ apiGroups: [""], resources: [pods], verbs: [get] }`. */
function ruleText(group: string, resource: string, verbs: readonly string[]): string {
  const groups = group === '' ? '""' : group;
  return `{ apiGroups: [${groups}], resources: [${resource}], verbs: [${verbs.join(', ')}] }`;
}
