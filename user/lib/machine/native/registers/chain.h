/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - X-Ray's figure 11, spelt out for 1 to 40 variables.
 *
 * A template: the file that includes it defines
 *
 *	TYPE		of the variables
 *	KIND		constraint of the registers that hold them, "r"
 *	TARGET		attribute of the functions, or empty
 *	PROLOGUE, EPILOGUE	around everything, or empty
 *	CHAINS		name of the table that it makes
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

#define VARIABLE(i)        \
	TYPE r##i = { 0 }; \
	__asm__ volatile("" : "+" KIND(r##i));
#ifndef ADD
#define ADD(to, from) to += from;
#endif
#define STEP(i, before)      \
	ADD(r##i, r##before) \
	__asm__ volatile(FENCE : "+" KIND(r##i));

#define D1 VARIABLE(0)
#define D2 D1 VARIABLE(1)
#define D3 D2 VARIABLE(2)
#define D4 D3 VARIABLE(3)
#define D5 D4 VARIABLE(4)
#define D6 D5 VARIABLE(5)
#define D7 D6 VARIABLE(6)
#define D8 D7 VARIABLE(7)
#define D9 D8 VARIABLE(8)
#define D10 D9 VARIABLE(9)
#define D11 D10 VARIABLE(10)
#define D12 D11 VARIABLE(11)
#define D13 D12 VARIABLE(12)
#define D14 D13 VARIABLE(13)
#define D15 D14 VARIABLE(14)
#define D16 D15 VARIABLE(15)
#define D17 D16 VARIABLE(16)
#define D18 D17 VARIABLE(17)
#define D19 D18 VARIABLE(18)
#define D20 D19 VARIABLE(19)
#define D21 D20 VARIABLE(20)
#define D22 D21 VARIABLE(21)
#define D23 D22 VARIABLE(22)
#define D24 D23 VARIABLE(23)
#define D25 D24 VARIABLE(24)
#define D26 D25 VARIABLE(25)
#define D27 D26 VARIABLE(26)
#define D28 D27 VARIABLE(27)
#define D29 D28 VARIABLE(28)
#define D30 D29 VARIABLE(29)
#define D31 D30 VARIABLE(30)
#define D32 D31 VARIABLE(31)
#define D33 D32 VARIABLE(32)
#define D34 D33 VARIABLE(33)
#define D35 D34 VARIABLE(34)
#define D36 D35 VARIABLE(35)
#define D37 D36 VARIABLE(36)
#define D38 D37 VARIABLE(37)
#define D39 D38 VARIABLE(38)
#define D40 D39 VARIABLE(39)

#define S1(last) STEP(0, last)
#define S2(last) S1(last) STEP(1, 0)
#define S3(last) S2(last) STEP(2, 1)
#define S4(last) S3(last) STEP(3, 2)
#define S5(last) S4(last) STEP(4, 3)
#define S6(last) S5(last) STEP(5, 4)
#define S7(last) S6(last) STEP(6, 5)
#define S8(last) S7(last) STEP(7, 6)
#define S9(last) S8(last) STEP(8, 7)
#define S10(last) S9(last) STEP(9, 8)
#define S11(last) S10(last) STEP(10, 9)
#define S12(last) S11(last) STEP(11, 10)
#define S13(last) S12(last) STEP(12, 11)
#define S14(last) S13(last) STEP(13, 12)
#define S15(last) S14(last) STEP(14, 13)
#define S16(last) S15(last) STEP(15, 14)
#define S17(last) S16(last) STEP(16, 15)
#define S18(last) S17(last) STEP(17, 16)
#define S19(last) S18(last) STEP(18, 17)
#define S20(last) S19(last) STEP(19, 18)
#define S21(last) S20(last) STEP(20, 19)
#define S22(last) S21(last) STEP(21, 20)
#define S23(last) S22(last) STEP(22, 21)
#define S24(last) S23(last) STEP(23, 22)
#define S25(last) S24(last) STEP(24, 23)
#define S26(last) S25(last) STEP(25, 24)
#define S27(last) S26(last) STEP(26, 25)
#define S28(last) S27(last) STEP(27, 26)
#define S29(last) S28(last) STEP(28, 27)
#define S30(last) S29(last) STEP(29, 28)
#define S31(last) S30(last) STEP(30, 29)
#define S32(last) S31(last) STEP(31, 30)
#define S33(last) S32(last) STEP(32, 31)
#define S34(last) S33(last) STEP(33, 32)
#define S35(last) S34(last) STEP(34, 33)
#define S36(last) S35(last) STEP(35, 34)
#define S37(last) S36(last) STEP(36, 35)
#define S38(last) S37(last) STEP(37, 36)
#define S39(last) S38(last) STEP(38, 37)
#define S40(last) S39(last) STEP(39, 38)

#define TIMES2(x) x x
#define TIMES4(x) TIMES2(x) TIMES2(x)
#define TIMES8(x) TIMES4(x) TIMES4(x)
#define TIMES16(x) TIMES8(x) TIMES8(x)
#define TIMES32(x) TIMES16(x) TIMES16(x)
#define TIMES64(x) TIMES32(x) TIMES32(x)

#define CHAIN(n, last, times)                                    \
	TARGET static void chain_##n(volatile unsigned int left) \
	{                                                        \
		PROLOGUE                                         \
		D##n do                                          \
		{                                                \
			TIMES##times(S##n(last))                 \
		}                                                \
		while (--left)                                   \
			;                                        \
		EPILOGUE                                         \
	}

CHAIN(1, 0, 64)
CHAIN(2, 1, 32)
CHAIN(3, 2, 32)
CHAIN(4, 3, 16)
CHAIN(5, 4, 16)
CHAIN(6, 5, 16)
CHAIN(7, 6, 16)
CHAIN(8, 7, 8)
CHAIN(9, 8, 8)
CHAIN(10, 9, 8)
CHAIN(11, 10, 8)
CHAIN(12, 11, 8)
CHAIN(13, 12, 8)
CHAIN(14, 13, 8)
CHAIN(15, 14, 8)
CHAIN(16, 15, 4)
CHAIN(17, 16, 4)
CHAIN(18, 17, 4)
CHAIN(19, 18, 4)
CHAIN(20, 19, 4)
CHAIN(21, 20, 4)
CHAIN(22, 21, 4)
CHAIN(23, 22, 4)
CHAIN(24, 23, 4)
CHAIN(25, 24, 4)
CHAIN(26, 25, 4)
CHAIN(27, 26, 4)
CHAIN(28, 27, 4)
CHAIN(29, 28, 4)
CHAIN(30, 29, 4)
CHAIN(31, 30, 4)
CHAIN(32, 31, 2)
CHAIN(33, 32, 2)
CHAIN(34, 33, 2)
CHAIN(35, 34, 2)
CHAIN(36, 35, 2)
CHAIN(37, 36, 2)
CHAIN(38, 37, 2)
CHAIN(39, 38, 2)
CHAIN(40, 39, 2)

#define ENTRY(n, times)                  \
	{                                \
		chain_##n, (n) * (times) \
	}

const struct register_code CHAINS[REGISTERS_MOST] = {
	ENTRY(1, 64), ENTRY(2, 32), ENTRY(3, 32), ENTRY(4, 16), ENTRY(5, 16),
	ENTRY(6, 16), ENTRY(7, 16), ENTRY(8, 8),  ENTRY(9, 8),	ENTRY(10, 8),
	ENTRY(11, 8), ENTRY(12, 8), ENTRY(13, 8), ENTRY(14, 8), ENTRY(15, 8),
	ENTRY(16, 4), ENTRY(17, 4), ENTRY(18, 4), ENTRY(19, 4), ENTRY(20, 4),
	ENTRY(21, 4), ENTRY(22, 4), ENTRY(23, 4), ENTRY(24, 4), ENTRY(25, 4),
	ENTRY(26, 4), ENTRY(27, 4), ENTRY(28, 4), ENTRY(29, 4), ENTRY(30, 4),
	ENTRY(31, 4), ENTRY(32, 2), ENTRY(33, 2), ENTRY(34, 2), ENTRY(35, 2),
	ENTRY(36, 2), ENTRY(37, 2), ENTRY(38, 2), ENTRY(39, 2), ENTRY(40, 2),
};
