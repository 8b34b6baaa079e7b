/**
 * The parts of the toolkit that only our other packages import, such as `@chancery/testing`. Names may
 * change in every release: a version of such a package needs the same version of the toolkit.
 *
 * @module
 */

export { connect } from './client/connection.ts';
export { abortable, aborted } from './core/abort.ts';
export { type Cancel, sleep } from './core/clock.ts';
export { deepCopy, deepJson } from './core/deep-json.ts';
export type { Labels, Meter } from './core/metrics.ts';
export { duplicateYamlKeys } from './core/yaml.ts';
export { OperatorProcess } from './manager/operator-process.ts';
export { connectOptions } from './manager/settings/connect-options.ts';
export { settingsFrom } from './manager/settings/settings.ts';
export type { ProcessStatus } from './manager/status-page/process-status.ts';
export { API_APPROVED, approvalOf, needsApproval } from './model/custom-resource-definition.ts';
export {
  DNS_1035_LABEL,
  DNS_LABEL,
  DNS_SUBDOMAIN,
  NOT_DNS_1035_LABEL,
  NOT_DNS_SUBDOMAIN,
} from './model/dns-name.ts';
export { INITIAL_EVENTS_END } from './model/entry.ts';
export { NANOS, parseQuantity, QUANTITY_SUFFIXES } from './model/quantity.ts';
export { apiVersionOf, collectionPath, groupVersionPath, objectPath } from './model/resource.ts';
export { isStatus, type Status, type StatusCause } from './model/status.ts';
export {
  fieldSchema,
  type StructuralSchema,
  type ValidationRule,
  valuesSchema,
} from './model/structural-schema.ts';
export { isFormat } from './model/text-format.ts';
export { knownPattern } from './schema/pattern/pattern.ts';
export { schemaProblems } from './schema/structure/schema-problems.ts';
export { Correlation, itemLike } from './schema/validation/correlation.ts';
export type { FieldError } from './schema/validation/field-errors.ts';
export * as fieldErrors from './schema/validation/field-errors.ts';
export { jsonEquals } from './schema/validation/json-equality.ts';
export {
  OBJECT_STEPS,
  type ObjectRules,
  objectProblems,
} from './schema/validation/object-problems.ts';
export { childPath, spineOf } from './schema/validation/schema-places.ts';
export { applyDefaults, prune } from './schema/validation/stored-form.ts';
export { TooMuchWork, Work } from './schema/work.ts';
export type { TransportRequest, TransportResponse } from './transport/transport.ts';
