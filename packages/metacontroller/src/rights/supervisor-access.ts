import { type Resource, source } from 'chancery';
import type { AccessDeclaration } from 'chancery/internal';
import {
  compositeControllers,
  controllerRevisions,
  decoratorControllers,
} from '../definitions/resources.ts';

/** The kinds whose objects declare controllers. */
const KINDS: readonly Resource[] = [compositeControllers, decoratorControllers];

/** The access of the operator before it runs a controller. */
export const SUPERVISOR_ACCESS: AccessDeclaration = {
  name: 'metacontroller',
  sources: KINDS.map((resource) => source(resource)),
  permissions: KINDS.map((resource) => ({ resource, subresource: 'status', verbs: ['patch'] })),
  definitions: [controllerRevisions],
  // The names of the two controllers that write the statuses of CompositeControllers and
  // DecoratorControllers.
  fieldManagers: ['metacontroller', ...KINDS.map(({ plural }) => plural)],
};
