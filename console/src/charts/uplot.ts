// The library of charts, as a chunk of its own: its name is that of this file, by which the build knows its budget.

export { default } from 'uplot';
