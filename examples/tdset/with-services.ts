import { tdset } from './controller.ts';

/** As `operator.ts`, and a TDSet with `spec.service` gets a Service. Its rights are those of this module. */
export default tdset({ createServices: true });
