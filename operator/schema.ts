/**
 * Defines custom resources with their schemas: `chancery/schema`. It is a separate entry, so that an operator
 * without custom resources does not load TypeBox.
 *
 * @module
 */

import './core/one-copy.ts';

// The schema of a field: types of TypeBox, and additions for Kubernetes

export {
  Anything,
  atomic,
  EmbeddedResource,
  IntOrString,
  ListAtomic,
  ListMap,
  ListSet,
  Nullable,
  preserveUnknownFields,
  Quantity,
  withRules,
} from './schema/builders.ts';
export { type Static, Type } from './schema/type.ts';

// The resource, and its definition

export type { ObjectOf } from './model/resource.ts';
export type { ValidationRule } from './model/structural-schema.ts';
export { type Conversion, conversion } from './schema/conversion/conversion.ts';
export type { CustomObject } from './schema/custom-object.ts';
export {
  type CustomResource,
  type CustomResourceOptions,
  customResource,
} from './schema/custom-resource.ts';
export { crdYaml } from './schema/definition-yaml.ts';
export { AGE_COLUMN, type PrinterColumnOptions } from './schema/printer-columns.ts';
