/**
 * The code with which `@chancery/testing` runs operators in the process of a test. It does not load commands,
 * generators and logs, so that a test file waits less for its imports. Names may change in every release.
 *
 * @module
 */

import './core/one-copy.ts';

export { connect } from './client/connection.ts';
export { abortable, aborted } from './core/abort.ts';
export { AmbassadorError } from './core/errors.ts';
export { jsonOf } from './core/json/json-of.ts';
export { noMeter } from './core/metrics.ts';
export { seededRandom } from './core/seeded-random.ts';
export { boundedText } from './core/text/visible-text.ts';
export { collectionOf } from './flight/replay/recorded/recorded-objects.ts';
export { OwnUses } from './flight/world/own-uses.ts';
export { settleWorld } from './flight/world/settle-world.ts';
export { type Alarm, VirtualClock } from './flight/world/virtual-clock.ts';
export { inWorld, replaceGlobals, type VirtualWorld } from './flight/world/virtual-globals.ts';
export { OperatorProcess } from './manager/operator-process.ts';
export { connectOptions } from './manager/settings/connect-options.ts';
export { settingsFrom } from './manager/settings/settings.ts';
export type { ProcessStatus } from './manager/status-page/process-status.ts';
export {
  CONVERSION_PATH,
  type DefinedResource,
  withConversionClient,
} from './model/custom-resource-definition.ts';
export { collectionPath, isBuiltInGroup, objectPath } from './model/resource.ts';
export { isStatus, type Status } from './model/status.ts';
export type { StructuralSchema } from './model/structural-schema.ts';
export { fieldStep, stepped } from './schema/checked-schema.ts';
export { keptAnnotation, keptFrom } from './schema/conversion/kept-annotation.ts';
export type { KeptField } from './schema/conversion/kept-fields.ts';
export { variedObject } from './schema/samples/varied-object.ts';
export { storedForm } from './schema/validation/stored-form.ts';
export { DEADLINES_MS, undiciTransport } from './transport/undici-transport.ts';
export { localConfigurations } from './webhook/webhook-configurations.ts';
