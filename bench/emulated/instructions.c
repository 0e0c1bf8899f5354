/* How many instructions a program executes in qemu's user mode: a plugin that adds up the lengths of the blocks that run.
 *
 *   cc -shared -fPIC -O2 -o instructions.so bench/emulated/instructions.c
 *   qemu-aarch64 -d plugin -plugin ./instructions.so PROGRAM
 *
 * The five functions are declared here, because distributions do not install qemu-plugin.h. Their interface has had
 * version 1 from qemu 4.2 on; a newer qemu that no longer takes it says which one it takes (-DVERSION=...).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#ifndef VERSION
#define VERSION 1
#endif

typedef uint64_t plugin_id;
struct qemu_plugin_tb;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*call)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*call)(unsigned, void *), int flags,
                                          void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*call)(plugin_id, void *), void *data);
void qemu_plugin_outs(const char *text);

__attribute__((visibility("default"))) int qemu_plugin_version = VERSION;

static uint64_t executed;

static void run(unsigned cpu, void *length)
{
    (void)cpu;
    __atomic_fetch_add(&executed, (uintptr_t)length, __ATOMIC_RELAXED);
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, run, 0, (void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

static void told(plugin_id id, void *data)
{
    char text[64];
    (void)id, (void)data;
    snprintf(text, sizeof text, "instructions: %" PRIu64 "\n", executed);
    qemu_plugin_outs(text);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, told, NULL);
    return 0;
}
