/** Loads what every operator loads, and runs nothing: `chancery run` refuses it, and ends by itself. */
import 'chancery';
import 'chancery/schema';
