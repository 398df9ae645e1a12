/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - X-Ray's figure 11, spelt out for 1 to 40 variables.
 *
 * A template: the file that includes it defines
 *
 *	TYPE		of the variables
 *	KIND		constraint of the registers that hold them, "r"
 *	CHAINS		name of the table that it makes
 *	ADD		adds one variable to another, if += does not
 *	TARGET		attribute of the functions, if any
 *	EPILOGUE	what comes after the additions, if anything
 *
 * Only the sum just made has to be in a register, and only at that moment:
 * the compiler may keep each variable wherever it likes in between, in memory
 * too. As it is opaque, nothing can be folded. The loop counts in memory, so
 * that all registers are there for the variables.
 */
#include "machine/native/registers/registers.h"

/* Processors that work out of order hide a spill completely: the old value is
 * loaded long before it is needed. A fence that waits for the loads before it
 * makes each of them cost its latency, as the paper assumes.
 */
#if defined(__x86_64__) || defined(__i386__)
#define FENCE "lfence"
#elif defined(__aarch64__)
#define FENCE "dsb nshld"
#else
#define FENCE ""
#endif

#ifndef ADD
#define ADD(to, from) to += from;
#endif
#ifndef TARGET
#define TARGET
#endif
#ifndef EPILOGUE
#define EPILOGUE
#endif

#define VARIABLE(i, before) \
	TYPE r##i = { 0 };  \
	__asm__ volatile("" : "+" KIND(r##i));
#define STEP(i, before)      \
	ADD(r##i, r##before) \
	__asm__ volatile(FENCE : "+" KIND(r##i));

/* All variables but the first one, each with the one before it. */
#define AFTER_FIRST_1(what)
#define AFTER_FIRST_2(what) AFTER_FIRST_1(what) what(1, 0)
#define AFTER_FIRST_3(what) AFTER_FIRST_2(what) what(2, 1)
#define AFTER_FIRST_4(what) AFTER_FIRST_3(what) what(3, 2)
#define AFTER_FIRST_5(what) AFTER_FIRST_4(what) what(4, 3)
#define AFTER_FIRST_6(what) AFTER_FIRST_5(what) what(5, 4)
#define AFTER_FIRST_7(what) AFTER_FIRST_6(what) what(6, 5)
#define AFTER_FIRST_8(what) AFTER_FIRST_7(what) what(7, 6)
#define AFTER_FIRST_9(what) AFTER_FIRST_8(what) what(8, 7)
#define AFTER_FIRST_10(what) AFTER_FIRST_9(what) what(9, 8)
#define AFTER_FIRST_11(what) AFTER_FIRST_10(what) what(10, 9)
#define AFTER_FIRST_12(what) AFTER_FIRST_11(what) what(11, 10)
#define AFTER_FIRST_13(what) AFTER_FIRST_12(what) what(12, 11)
#define AFTER_FIRST_14(what) AFTER_FIRST_13(what) what(13, 12)
#define AFTER_FIRST_15(what) AFTER_FIRST_14(what) what(14, 13)
#define AFTER_FIRST_16(what) AFTER_FIRST_15(what) what(15, 14)
#define AFTER_FIRST_17(what) AFTER_FIRST_16(what) what(16, 15)
#define AFTER_FIRST_18(what) AFTER_FIRST_17(what) what(17, 16)
#define AFTER_FIRST_19(what) AFTER_FIRST_18(what) what(18, 17)
#define AFTER_FIRST_20(what) AFTER_FIRST_19(what) what(19, 18)
#define AFTER_FIRST_21(what) AFTER_FIRST_20(what) what(20, 19)
#define AFTER_FIRST_22(what) AFTER_FIRST_21(what) what(21, 20)
#define AFTER_FIRST_23(what) AFTER_FIRST_22(what) what(22, 21)
#define AFTER_FIRST_24(what) AFTER_FIRST_23(what) what(23, 22)
#define AFTER_FIRST_25(what) AFTER_FIRST_24(what) what(24, 23)
#define AFTER_FIRST_26(what) AFTER_FIRST_25(what) what(25, 24)
#define AFTER_FIRST_27(what) AFTER_FIRST_26(what) what(26, 25)
#define AFTER_FIRST_28(what) AFTER_FIRST_27(what) what(27, 26)
#define AFTER_FIRST_29(what) AFTER_FIRST_28(what) what(28, 27)
#define AFTER_FIRST_30(what) AFTER_FIRST_29(what) what(29, 28)
#define AFTER_FIRST_31(what) AFTER_FIRST_30(what) what(30, 29)
#define AFTER_FIRST_32(what) AFTER_FIRST_31(what) what(31, 30)
#define AFTER_FIRST_33(what) AFTER_FIRST_32(what) what(32, 31)
#define AFTER_FIRST_34(what) AFTER_FIRST_33(what) what(33, 32)
#define AFTER_FIRST_35(what) AFTER_FIRST_34(what) what(34, 33)
#define AFTER_FIRST_36(what) AFTER_FIRST_35(what) what(35, 34)
#define AFTER_FIRST_37(what) AFTER_FIRST_36(what) what(36, 35)
#define AFTER_FIRST_38(what) AFTER_FIRST_37(what) what(37, 36)
#define AFTER_FIRST_39(what) AFTER_FIRST_38(what) what(38, 37)
#define AFTER_FIRST_40(what) AFTER_FIRST_39(what) what(39, 38)

#define TIMES2(x) x x
#define TIMES4(x) TIMES2(x) TIMES2(x)
#define TIMES8(x) TIMES4(x) TIMES4(x)
#define TIMES16(x) TIMES8(x) TIMES8(x)
#define TIMES32(x) TIMES16(x) TIMES16(x)
#define TIMES64(x) TIMES32(x) TIMES32(x)

/* Each number of variables, the last of them, and how often the sequence is
 * repeated in the loop: 64 additions, or not many more.
 */
/* clang-format off */
#define EACH(what) \
	what(1, 0, 64) what(2, 1, 32) what(3, 2, 32) what(4, 3, 16) \
	what(5, 4, 16) what(6, 5, 16) what(7, 6, 16) what(8, 7, 8) \
	what(9, 8, 8) what(10, 9, 8) what(11, 10, 8) what(12, 11, 8) \
	what(13, 12, 8) what(14, 13, 8) what(15, 14, 8) what(16, 15, 4) \
	what(17, 16, 4) what(18, 17, 4) what(19, 18, 4) what(20, 19, 4) \
	what(21, 20, 4) what(22, 21, 4) what(23, 22, 4) what(24, 23, 4) \
	what(25, 24, 4) what(26, 25, 4) what(27, 26, 4) what(28, 27, 4) \
	what(29, 28, 4) what(30, 29, 4) what(31, 30, 4) what(32, 31, 2) \
	what(33, 32, 2) what(34, 33, 2) what(35, 34, 2) what(36, 35, 2) \
	what(37, 36, 2) what(38, 37, 2) what(39, 38, 2) what(40, 39, 2)
/* clang-format on */

#define CHAIN(n, last, times)                                             \
	TARGET static void chain_##n(volatile unsigned int left)          \
	{                                                                 \
		VARIABLE(0, 0) AFTER_FIRST_##n(VARIABLE) do               \
		{                                                         \
			TIMES##times(STEP(0, last) AFTER_FIRST_##n(STEP)) \
		}                                                         \
		while (--left)                                            \
			;                                                 \
		EPILOGUE                                                  \
	}

#define ENTRY(n, last, times) { chain_##n, (n) * (times) },

EACH(CHAIN)

const struct register_code CHAINS[REGISTERS_MOST] = { EACH(ENTRY) };
