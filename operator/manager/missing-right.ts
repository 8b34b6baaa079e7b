import { ConfigurationError } from '../core/errors.ts';
import type { ApiError } from '../model/status.ts';

/** Why a definition cannot be installed, with the rule that a ClusterRole lacks. */
export function missingRight(
  refusal: ApiError,
  asked: 'get' | 'patch',
  definition: string,
): ConfigurationError {
  // An apply of what is not there needs the right to create, too; the server says which one is missing.
  const verb = /cannot (create|get|patch) resource/.exec(refusal.message)?.[1] ?? asked;
  const rule = `{ apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [${definition}], verbs: [get, create, patch] }`;
  return new ConfigurationError(
    `no right to ${verb} customresourcedefinitions.apiextensions.k8s.io ${definition}: add to a ClusterRole of the operator: ${rule}`,
    {
      cause: refusal,
      context: {
        verb,
        resource: 'customresourcedefinitions.apiextensions.k8s.io',
        resourceName: definition,
      },
    },
  );
}
