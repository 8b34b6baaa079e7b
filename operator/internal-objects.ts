/**
 * Objects, schemas and errors for `@chancery/testing`. The code that runs operators is not included, so that
 * importing the API server takes half the time. Names may change in every release.
 *
 * @module
 */

import './core/one-copy.ts';

export { sleep, systemClock } from './core/clock.ts';
export { ConfigurationError, messageOf, OperatorError } from './core/errors.ts';
export { deepCopy, deepJson } from './core/json/deep-json.ts';
export { isLoopbackHost } from './core/loopback.ts';
export { isMapping } from './core/mapping.ts';
export { nearMatches } from './core/text/near-match.ts';
export { VERSION } from './core/version.ts';
export { duplicateYamlKeys, formatYaml, parseYaml, parseYamlDocuments } from './core/yaml.ts';
export { rfc3339, rfc3339Micro, setCondition } from './model/condition.ts';
export { API_APPROVED, approvalOf, needsApproval } from './model/custom-resource-definition.ts';
export {
  DNS_1035_LABEL,
  DNS_LABEL,
  DNS_SUBDOMAIN,
  NOT_DNS_1035_LABEL,
  NOT_DNS_SUBDOMAIN,
} from './model/dns-name.ts';
export { INITIAL_EVENTS_END } from './model/entry.ts';
export { isNotFound, isUnserved } from './model/not-found.ts';
export { controllerOf, keyOf, objectKey, splitKey } from './model/object.ts';
export { NANOS, parseQuantity, QUANTITY_SUFFIXES } from './model/quantity.ts';
export { apiVersionOf, groupVersionPath, resourceName } from './model/resource.ts';
export {
  formatSelector,
  matchesSelector,
  parseSelector,
  selectorFromObject,
} from './model/selector.ts';
export { fieldHash } from './model/shard/field-hash.ts';
export { ApiError, isAlreadyExists, isConflict } from './model/status.ts';
export { fieldSchema, valuesSchema } from './model/structural-schema.ts';
export { isFormat } from './model/text-format.ts';
export { knownPattern } from './schema/pattern/pattern.ts';
export { schemaProblems } from './schema/structure/schema-problems.ts';
export { itemLike } from './schema/validation/correlation.ts';
export {
  duplicate,
  fieldName,
  forbidden,
  invalid,
  invalidUnshown,
  notSupported,
  required,
  tooMany,
} from './schema/validation/field-errors.ts';
export { jsonEquals } from './schema/validation/json-equality.ts';
export { OBJECT_STEPS, objectProblems } from './schema/validation/object-problems.ts';
export { childPath, spineOf } from './schema/validation/schema-places.ts';
export { applyDefaults, prune } from './schema/validation/stored-form.ts';
export { TooMuchWork, Work } from './schema/work.ts';
