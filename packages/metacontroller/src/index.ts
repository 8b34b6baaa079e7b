/**
 * Types for functions that `chancery metacontroller` calls as hooks: `@chancery/metacontroller`.
 * The module contains no code: import the types with `import type`.
 *
 * @module
 */

export type {
  CompositeSyncRequest,
  CompositeSyncResponse,
  CustomizeRequest,
  CustomizeResponse,
  DecoratorSyncRequest,
  DecoratorSyncResponse,
  DesiredObject,
  HookContext,
  HookEvent,
  ObjectsByType,
  RelatedResourceRule,
} from './module-types.ts';
