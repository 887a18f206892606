/*
 * Callbacks of the instrumentation for programs without the harness, such as those
 * that configure scripts try.
 */
#include <stdint.h>

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) { (void)start, (void)stop; }
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) { (void)start, (void)stop; }
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { (void)guard; }
