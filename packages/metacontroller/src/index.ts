/**
 * Types of the functions that `chancery metacontroller` calls as hooks: `@chancery/metacontroller`. There is nothing to
 * load at run time: import them with `import type`.
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
