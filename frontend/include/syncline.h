/* Synchronous C: what the words mean is in docs/synchronous-c.md. gcc accepts it (-fsyntax-only); syncline decides it. */
#ifndef SYNCLINE_H
#define SYNCLINE_H

#ifdef __cplusplus
#error "synchronous C is C"
#endif

void __syncline_sync(void (*process)(void));
void __syncline_stop(void (*process)(void));
void __syncline_environment(void (*environment)(void));
void __syncline_time_synchronous(void);
void __syncline_time_asynchronous(void);
void __syncline_always(int holds, const char *text);
void __syncline_idle(void);
int __syncline_atomic(void);
int __syncline_choice(void);
int __syncline_when(int guard);

/* In main: registers a process. In a process: starts a sub-process at the step boundary. */
#define sync(process) __syncline_sync(process)
/* In a process: stops a sub-process, and those it has started, at the step boundary. */
#define sync_stop(process) __syncline_stop(process)
/* In main: the function that gives the inputs. */
#define sync_environment(function) __syncline_environment(function)
/* In main: `synchronous` (inputs at every step, the default) or `asynchronous` (inputs in stable states). */
#define sync_time(model) __syncline_time_##model()
/* In main: holds in the initial state and at every step boundary. */
#define always(condition) __syncline_always((condition) != 0, #condition)

/* One step, however long. Leaving it ends the step. */
#define atomic if (!__syncline_atomic()) {} else
/* A step in which nothing is done; in an atomic section or a choice: the process stays at its beginning. */
#define idle() __syncline_idle()
/* choice { when (guard) { ... } when (guard) { ... } otherwise { ... } } */
#define choice switch (__syncline_choice())
#define when(guard) case __COUNTER__: if (__syncline_when((guard) != 0))
#define otherwise default:

/* Before the type of a shared variable: what is written shows at once, in the order of the processes. */
#define blocking __attribute__((section("syncline_blocking")))

/* Unknown values and assumptions, as everywhere. */
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
void __VERIFIER_assume(int condition);

#endif
