/** What the checker explores. Each has few enough states for one second or some. */
import type { ModelOptions } from './model.ts';
import { NO_FAILURES } from './model-state.ts';

/** Small ones, which each change of the machine must break. */
export const SMALL: Readonly<Record<string, ModelOptions>> = {
  'a single member stops, and a request is delayed': {
    generations: [0],
    groups: 1,
    budgets: { ...NO_FAILURES, changes: 1, delays: 1, shutdowns: 1, stuck: 1 },
  },
  'a member joins, and an object changes': {
    generations: [0, 0],
    groups: 2,
    late: 1,
    budgets: { ...NO_FAILURES, changes: 1 },
  },
  'a member joins, and a reconcile gets stuck': {
    generations: [0, 0],
    groups: 2,
    late: 1,
    budgets: { ...NO_FAILURES, changes: 1, stuck: 1 },
  },
  'a member stops, and a reconcile gets stuck': {
    generations: [0, 0],
    groups: 1,
    budgets: { ...NO_FAILURES, changes: 1, stuck: 1, shutdowns: 1 },
  },
  'a member is paused, and a reconcile gets stuck': {
    generations: [0, 0],
    groups: 1,
    budgets: { ...NO_FAILURES, changes: 1, pauses: 1, stuck: 1 },
  },
  'a member is paused, and another generation comes': {
    generations: [0, 1],
    groups: 1,
    budgets: { ...NO_FAILURES, changes: 1, pauses: 1, stuck: 1 },
  },
  'a member stops, and another takes its groups': {
    generations: [0, 0],
    groups: 2,
    budgets: { ...NO_FAILURES, shutdowns: 1 },
  },
};

const THREE = { generations: [0, 0, 0], groups: 2 } as const;

/** What the machine must stand. */
export const MAIN: Readonly<Record<string, ModelOptions>> = {
  'three members, in any order': { ...THREE, budgets: NO_FAILURES },
  'three members, of which one crashes': {
    ...THREE,
    inOrder: true,
    budgets: { ...NO_FAILURES, crashes: 1 },
  },
  'three members, of which one is paused': {
    ...THREE,
    inOrder: true,
    budgets: { ...NO_FAILURES, pauses: 1 },
  },
  'three members, and a request that is delayed': {
    ...THREE,
    inOrder: true,
    budgets: { ...NO_FAILURES, delays: 1 },
  },
  'two members of two generations, of which one is paused, and a request that is delayed': {
    generations: [0, 1],
    groups: 1,
    budgets: { ...NO_FAILURES, delays: 1, pauses: 1 },
  },
  'two members, a Lease that is deleted, and a clock that loses a tick during a pause': {
    generations: [0, 0],
    groups: 1,
    budgets: { ...NO_FAILURES, deletions: 1, lags: 1, pauses: 1 },
  },
};

/** What takes ten seconds and more. */
export const LARGE: Readonly<Record<string, ModelOptions>> = {
  'three members, of which one crashes and one is paused': {
    ...THREE,
    inOrder: true,
    budgets: { ...NO_FAILURES, crashes: 1, pauses: 1 },
  },
};
