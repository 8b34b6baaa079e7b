import { exposeByAnnotation } from './annotation/controller.ts';

export default [exposeByAnnotation];
