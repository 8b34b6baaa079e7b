import { type Resource, source } from 'chancery';
import type { AccessDeclaration } from 'chancery/internal';
import {
  compositeControllers,
  controllerRevisions,
  decoratorControllers,
} from '../definitions/resources.ts';

/** The kinds whose objects say which controllers run. */
const KINDS: readonly Resource[] = [compositeControllers, decoratorControllers];

/** What the operator does at the API server before it runs a controller. */
export const SUPERVISOR_ACCESS: AccessDeclaration = {
  name: 'metacontroller',
  sources: KINDS.map((resource) => source(resource)),
  permissions: KINDS.map((resource) => ({ resource, subresource: 'status', verbs: ['patch'] })),
  definitions: [controllerRevisions],
  // The controllers over the two kinds, which write their statuses.
  fieldManagers: ['metacontroller', ...KINDS.map(({ plural }) => plural)],
};
